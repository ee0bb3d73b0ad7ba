"""Output that a text attributes to somebody else, and present faults in the same words."""

import pytest
from every_case import registry

from accel.collect.text import read_texts

LOST = "NVRM: Xid (PCI:0000:65:00): 79, GPU has fallen off the bus."


def statuses(text: str) -> set[str]:
    """Return the statuses of the statements about a lost GPU."""
    snapshot = read_texts([("report", text)], registry())
    return {one.status for one in snapshot.observations or () if getattr(one, "fact", "") == "gpu-off-bus"}


@pytest.mark.parametrize(
    ("lead", "below"),
    [
        ("A colleague tells me that on his server he gets this:", "He will swap it. Mine is fine. From which BIOS on?"),
        ("Not my machine, a friend of mine posted it in our chat:", "I found it funny. Mine runs fine."),
        ("先说明：论坛里很多人的帖子是下面这样的：", "想了解一下大家的电源。\n\n上面的日志都不是我的，机器一直稳定。"),
        ("论坛里很多人的帖子是", "我这里没有这个，dmesg 很干净。请问怎么设风扇曲线？"),
        ("Un compañero me cuenta que en su equipo le sale esto:", "No es el mío: en mi equipo va desde hace meses."),
        ("知人から相談を受けました。次のログが出るそうです。", "自分の環境では一度も出たことがありません。"),
        ("동료가 자기 서버 로그라면서 보내 줬습니다.", "저희 서버는 정상입니다. BIOS를 올려야 할지 궁금합니다."),
        ("Im Nachbarthread schreibt jemand, dass bei ihm Folgendes kommt:", "Bei mir ist das nie passiert."),
        ("Коллега прислал лог со своего сервера:", "Наш сервер тут ни при чём. Хочу понять на будущее."),
        ("Um colega me enviou isto:", "Não é o meu. Só quero saber se vale a pena trocar o driver."),
        ("Siehe unten.", "Das ist nicht mein Log, das hat jemand im Discord gepostet."),
    ],
)
def test_what_somebody_else_gets_is_not_present(lead: str, below: str) -> None:
    assert "present" not in statuses(f"{lead}\n\n{LOST}\n\n{below}\n")


@pytest.mark.parametrize(
    ("lead", "below"),
    [
        ("A colleague tells me that his server is fine. On mine I get this:", "His is the same model."),
        ("A friend told me to ask here. Since this morning dmesg has:", "My old card was fine in the same slot."),
        ("Our customer gets this on his server:", "On our machines it works. Any idea what is wrong there?"),
        ("My colleague gets this on his laptop:", "On mine everything works. What should he do?"),
        ("A user reports this on node gn12:", "The other nodes are fine. We drained it."),
        ("Somebody sent me this log from his rig:", "Mine has the same since yesterday. What now?"),
        ("The server is not ours and its admin will not touch it, so I still have it:", "Can I get around it?"),
        ("I've seen the questions about risers. That isn't what I have:", "The slot is the first one."),
        ("用户反馈在他的机器上报:", "我们这边测试正常，请问怎么排查？"),
        ("Un cliente me manda este log de su servidor:", "En mi equipo funciona bien. ¿Qué puede hacer?"),
        ("Un compañero dice que en el suyo va todo. A mí me sale esto:", "¿Qué pruebas hago?"),
        ("친구 서버에서는 잘 된다고 합니다. 제 서버에서는 이런 메시지가 뜹니다.", "친구 PC는 문제없이 돌아갑니다."),
        (
            "知人に相談しました。うちのサーバーのログです。",
            "先月は問題なく動いていましたが、また認識されなくなりました。",
        ),
        ("Коллега посмотрел лог с нашего сервера и посоветовал написать сюда:", "У него самого ошибок нет."),
    ],
)
def test_the_same_words_about_an_own_or_a_tended_machine_are_present(lead: str, below: str) -> None:
    assert "present" in statuses(f"{lead}\n\n{LOST}\n\n{below}\n")
