"""As much of torch as a rank of `accel fleet pairs` needs: numbers in lists."""

float32 = "float32"
__version__ = "2.0.stub"


class Scalar(float):
    def item(self):
        return float(self)


class Tensor:
    def __init__(self, numbers):
        self.numbers = list(numbers)

    def __getitem__(self, part):
        return Tensor(self.numbers[part])

    def __setitem__(self, part, value):
        self.numbers[part] = value.numbers

    def __mul__(self, factor):
        return Tensor(one * factor for one in self.numbers)

    def __ne__(self, other):
        return Tensor(one != two for one, two in zip(self.numbers, other.numbers, strict=True))

    def sum(self):
        return Scalar(sum(self.numbers))

    def fill_(self, value):
        self.numbers = [value] * len(self.numbers)

    def remainder(self, divisor):
        return Tensor(one % divisor for one in self.numbers)

    def to(self, _dtype):
        return self


def ones(count, **_how):
    return Tensor([1.0] * count)


def zeros(count, **_how):
    return Tensor([0.0] * count)


def arange(count, **_how):
    return Tensor(map(float, range(count)))


def set_num_threads(_count):
    pass
