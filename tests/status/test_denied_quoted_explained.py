"""Faults that a text denies, cites from others, explains or gives as examples, and present ones in the same words."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.text.code_tables import explaining_rows
from accel.text.config_lines import config_lines
from accel.text.segments import segments_of

MESSAGE = "NVRM: Xid (PCI:0000:5e:00): 79, GPU has fallen off the bus."


def statuses(text: str) -> set[str]:
    """Return the statuses of the statements about a lost GPU."""
    snapshot = read_texts([("report", text)], registry())
    return {one.status for one in snapshot.observations or () if getattr(one, "fact", "") == "gpu-off-bus"}


def tried(text: str) -> list[str]:
    """Return the steps that the writer of a text tried without success."""
    snapshot = read_texts([("report", text)], registry())
    told = (one for one in snapshot.observations or () if getattr(one, "kind", "") == "experiment")
    return [getattr(one, "condition", "") for one in told]


@pytest.mark.parametrize(
    "sentence",
    [
        f"{MESSAGE} は一度も発生しませんでした。電源を替えてから学習は順調に動いています。",
        f"心配していた {MESSAGE} は出ませんでした。八時間の負荷試験をしました。",
        f"걱정했던 {MESSAGE} 오류는 나오지 않았습니다. 부하 시험도 여덟 시간 했습니다.",
        "压测八小时,没有出现大家常说的 NVRM init failed. gpu has fallen off the bus,驱动是新的。",
        "La línea “GPU has fallen off the bus” no apareció en ocho horas de prueba.",
    ],
)
def test_a_denial_may_follow_the_message(sentence: str) -> None:
    assert statuses(sentence) == {"negated"}


@pytest.mark.parametrize(
    "sentence",
    [
        f"起動すると {MESSAGE} が出ます。以前は出ませんでした。",
        f"dmesg に {MESSAGE} が出て、昨日は出ませんでした。",
        f"训练到一半报 {MESSAGE} 昨天还没有出现。",
    ],
)
def test_a_denial_of_an_earlier_time_denies_nothing_now(sentence: str) -> None:
    assert "negated" not in statuses(sentence)


@pytest.mark.parametrize(
    "text",
    [
        '群里有个师弟发了这么一段:"NVRM: GPU has fallen off the bus"。\n\n我自己这边的集群是好的。让他先发日志吗?',
        'FAQ 里有一条: If you see "GPU has fallen off the bus", reseat the card. 我照流程装的,这条没用上。',
        'In der README steht: If you see "GPU has fallen off the bus", check the power. Hier läuft alles einwandfrei.',
    ],
)
def test_what_others_sent_or_documents_say_is_not_here(text: str) -> None:
    assert statuses(text) <= {"quoted", "elsewhere", "negated"}


def test_a_fault_that_was_cited_and_then_met_is_present() -> None:
    text = 'FAQ 里写着: If you see "GPU has fallen off the bus", reseat it.'
    assert "present" in statuses(f"{text} 我插过了,还是报 GPU has fallen off the bus,怎么办?")


@pytest.mark.parametrize("since", ["dmesg has been clean ever since", "seitdem ist dmesg sauber", "之后一直很干净"])
def test_quiet_since_the_repair_is_over(since: str) -> None:
    text = f'In spring this box gave me "{MESSAGE}" weekly. We swapped the riser in May, {since}.'
    assert statuses(f"{text}\n\nWhich fan curve do you use?") == {"past"}


def test_quiet_until_yesterday_is_not_over() -> None:
    text = 'In spring this box gave me "GPU has fallen off the bus" weekly. I swapped the riser in May, it was clean'
    assert statuses(f"{text} until yesterday, now it drops again.") == {"present"}


@pytest.mark.parametrize("again", ["复位过一次,跑两个小时又出来了。", "再起動しましたが、二時間後にまた出ました。"])
def test_what_came_again_is_not_fixed(again: str) -> None:
    assert statuses(f"{MESSAGE}\n\n{again}") == {"present"}


def test_a_card_that_came_back_is_fixed() -> None:
    assert statuses(f"{MESSAGE}\n\n重新插了一下,卡又出来了。") == {"past"}


@pytest.mark.parametrize(
    "denied",
    [
        "机器没有重启过,任务还在跑。",
        "The host has not been rebooted, others still work on it.",
        "Der Rechner wurde noch nicht neu gestartet.",
        "Todavía no he reiniciado el servidor.",
        "Сервер ещё не перезагружал.",
        "再起動はまだしていません。",
    ],
)
def test_a_step_that_was_not_done_is_no_attempt(denied: str) -> None:
    assert "sudo reboot" not in tried(f"Failed to initialize NVML: Driver/library version mismatch\n\n{denied}")


@pytest.mark.parametrize(
    "done", ["机器重启过两次,还是一样。", "I rebooted it twice.", "Сервер уже перезагружал, не помогло."]
)
def test_a_step_that_was_done_is_an_attempt(done: str) -> None:
    assert "sudo reboot" in tried(f"Failed to initialize NVML: Driver/library version mismatch\n\n{done}")


def test_denied_work_denies_no_fault_in_the_same_sentence() -> None:
    assert statuses("I have not rebooted since GPU has fallen off the bus came up in dmesg.") == {"present"}


LEAD = "{lead}\n\n> level=info msg=start\n> {message}\n\nThe job ends there."


@pytest.mark.parametrize(
    "lead", ["After the start its log shows:", "启动之后日志显示:", "Danach zeigt das Journal bei mir:"]
)
def test_a_quotation_that_the_writer_shows_as_output_is_theirs(lead: str) -> None:
    assert statuses(f"{LEAD.format(lead=lead, message=MESSAGE)} What can I do?") == {"present"}


@pytest.mark.parametrize("lead", ["Tom wrote:", "His log shows:", "他的日志显示:"])
def test_a_quotation_of_somebody_else_is_not(lead: str) -> None:
    assert statuses(LEAD.format(lead=lead, message=MESSAGE)) == {"quoted"}


RULES = {
    "a template's variable": ["- 名称: gpu_lost", '  内容: "{{ $labels.node }} GPU has fallen off the bus"'],
    "a comparison": ["- 名前: gpu_ecc", "  条件: dcgm_ecc_dbe_total > 0", "  メッセージ: Double Bit ECC Error"],
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_known_by_its_values_in_any_language(name: str) -> None:
    assert list(config_lines(RULES[name])) == list(range(len(RULES[name])))


def test_fields_of_a_record_are_no_rule() -> None:
    assert not list(config_lines(["節点: gpu07", "内容: GPU has fallen off the bus", "温度: 85"]))


CODES = ["13 | Graphics Engine Exception", "31 | GPU memory page fault", "48 | Double Bit ECC Error"]


def test_a_table_of_codes_explains() -> None:
    table = ["코드 | 의미", *CODES, "79 | GPU has fallen off the bus"]
    assert list(explaining_rows(table)) == [(number, True) for number in range(1, 5)]
    text = "\n".join(["Xid 코드", "", *table, "", f"예) {MESSAGE} 형태로 기록됩니다."])
    assert set(segments_of(text).kinds) == {"document", "blank"}


@pytest.mark.parametrize(
    "rows",
    [
        ["0 | NVIDIA A100 | OK", "1 | NVIDIA H100 | OK", "2 | NVIDIA L40 | ERR", "3 | NVIDIA T4 | OK"],
        ["79 | GPU lost at 10:02:11", *CODES],
        ["79 | GPU lost", "79 | GPU lost", *CODES],
        CODES,
    ],
)
def test_a_list_of_devices_or_events_explains_nothing(rows: list[str]) -> None:
    assert not list(explaining_rows(rows))


def test_codes_that_the_writer_asks_about_are_a_report() -> None:
    text = "\n".join(["Xids of this week:", "", *CODES, "79 | GPU has fallen off the bus", "", "Was tun wir nun?"])
    assert statuses(text) == {"present"}
