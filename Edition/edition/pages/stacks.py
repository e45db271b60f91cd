"""The stacks of the loop's callouts, frame by frame beside a Mac's: stacks.html."""

from .. import annotations

NAVIGATION = [("stacks.html", "navigation.stacks")]
TEXT = {
    "navigation.stacks": ("Stacks", "调用栈"),
    "stacks.title": ("The stacks", "调用栈"),
    "stacks.lead": ("What a debugger shows in each callback and in the sleep, frame by frame beside a Mac's. The outer end of a stack is at the bottom.",
                    "调试器在每种回调里和休眠时看到的调用栈，逐帧与 Mac 对照。栈的外端在下面。"),
    "stacks.here": ("Here", "这里"),
    "stacks.mac": ("On a Mac", "Mac 上"),
}
SAME = ("the same", "相同", "同名")


def build(site):
    intro, stacks = annotations.stacks(site)
    shown = [{"title": stack.title, "slug": f"stack-{number}", "text": stack.text, "before": stack.before, "after": stack.after,
              "rows": [{"frame": frame, "here": here, "mac": mac, "same": words in SAME, "callout": "CALLING_OUT" in name or "SERVICING" in name}
                       for frame, here, mac, name, words in stack.rows]} for number, stack in enumerate(stacks)]
    site.page("stacks.html", site.text("stacks.title"), "stacks.html", intro=intro, stacks=shown)
