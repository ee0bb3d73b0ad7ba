"""Strongly connected components of a graph: Tarjan's algorithm, without recursion."""

from typing import Any


def strong_components(count: int, nexts: Any) -> list[int]:
    """Return the number of each state's strongly connected component. nexts: returns a state's successors."""
    index, low, on_stack = [-1] * count, [0] * count, [False] * count
    component, stack, clock, found = [-1] * count, [], 0, 0
    for root in range(count):
        if index[root] >= 0:
            continue
        work = [(root, iter(nexts(root)))]
        index[root] = low[root] = clock
        clock += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            state, following = work[-1]
            advanced = False
            for other in following:
                if index[other] < 0:
                    index[other] = low[other] = clock
                    clock += 1
                    stack.append(other)
                    on_stack[other] = True
                    work.append((other, iter(nexts(other))))
                    advanced = True
                    break
                if on_stack[other]:
                    low[state] = min(low[state], index[other])
            if advanced:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[state])
            if low[state] == index[state]:
                while True:
                    other = stack.pop()
                    on_stack[other] = False
                    component[other] = found
                    if other == state:
                        break
                found += 1
    return component
