"""The front page."""

ORDER = 0
TEXT = {
    "front.title": ("The run loop, read", "RunLoop 阅读版"),
    "front.lead": ("Apple's CFRunLoop, written again in C for Linux: the source with notes beside it.", "用 C 为 Linux 重写的 Apple CFRunLoop：源码，旁边有注解。"),
}


def build(site):
    site.page("index.html", site.text("front.title"), "front.html", kind="front")
