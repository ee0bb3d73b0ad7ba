"""The meaning of keys and clicks. An action is a word and its values: "sort memory", "device nvidia:0"."""

from typing import Final

from accel.apps.screen.view import View

_KEYS_OF: Final = {  # each action, and Textual's names of its keys
    "quit": "q ctrl+c ctrl+q",
    "help": "question_mark h f1",
    "filter": "slash f",
    "clear": "escape",
    "pane": "tab shift+tab",
    "move -1": "up",
    "move 1": "down",
    "page -1": "pageup",
    "page 1": "pagedown",
    "move -1000000": "home",
    "move 1000000": "end",
    "only": "enter",
    "sort-next": "s",
    "reverse": "r",
    "end": "k f9 delete",
    "graphs": "g",
    "links": "l",
    "pause": "p space",
    "back": "left",
    "forward": "right",
    "faster": "plus",
    "slower": "minus",
}
KEYS: Final = {key: action for action, keys in _KEYS_OF.items() for key in keys.split()}
_HELP_PAGE: Final = 5  # lines
DONE_BY_THE_SCREEN: Final = frozenset(("quit", "links", "yes", "forward", "back", "faster", "slower"))


def meaning(view: View, key: str, sign: str | None) -> str:
    """Return the action of a key in the current state; "" if none. sign: the character that the key types, if any."""
    if view.typing is not None:
        if key in ("escape", "enter"):
            return "keep" if key == "enter" else "drop"
        if key in ("backspace", "ctrl+h"):
            return "type \b"
        if sign is not None and sign.isprintable():
            return f"type {sign}"
        return KEYS[key] if key in ("ctrl+c", "up", "down", "pageup", "pagedown") else ""
    if view.asking is not None:
        answers = {"y": "yes", "n": "no", "escape": "no", "q": "no", "ctrl+c": "quit"}
        return answers.get(key, "")
    if view.help:
        scrolls = view.help_hidden and KEYS.get(key, "").startswith(("move ", "page "))
        return "quit" if key == "ctrl+c" else KEYS[key] if scrolls else "clear"
    return KEYS.get(key, "")


def act(view: View, action: str) -> bool:
    """Apply an action to the view; return whether the screen must handle it instead."""
    name, _, value = action.partition(" ")
    if name in DONE_BY_THE_SCREEN:
        return True
    if view.help and view.help_hidden and name in ("move", "page"):
        view.scroll_help(int(value) * (_HELP_PAGE if name == "page" else 1))
        return False
    if view.help and name != "clear":
        view.help = False
        return False
    simple = {
        "clear": view.clear,
        "pane": view.other_pane,
        "only": view.toggle_device,
        "sort-next": view.next_sort,
        "pause": view.toggle_pause,
        "end": view.ask_to_end,
    }
    if name in simple:
        simple[name]()
    elif name == "move":
        view.move(int(value))
    elif name == "page":
        view.page(int(value))
    elif name == "sort":
        view.sort_by(value)
    elif name == "reverse":
        view.reverse = not view.reverse
    elif name == "type":
        view.type(value)
    elif name in ("keep", "drop"):
        view.end_typing(keep=name == "keep")
    elif name == "filter":
        view.typing = view.filter
    elif name == "help":
        view.help, view.help_first = True, 0
    elif name == "graphs":
        view.toggle_graphs()
    elif name == "no":
        view.asking = None
    elif name == "device":
        view.select_device(value)
    elif name == "process":
        device, _, pid = value.rpartition(" ")
        view.select_process(device, int(pid))
    return False
