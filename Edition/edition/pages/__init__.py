"""The pages of the edition, one module each. PAGES in build.py lists them; a module may have

    def build(site): ...                                   writes the pages of one language (see site.py)
    NAVIGATION = [("claims.html", "navigation.claims")]    its entries in the head of every page
    TEXT = {"navigation.claims": ("Claims", "论断")}        its strings in English and Chinese
"""
