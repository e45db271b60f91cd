"""The pages of the edition, one module each. The build finds a module here by itself; it may have

    def build(site): ...                                   writes the pages of one language (see site.py)
    NAVIGATION = [("claims.html", "navigation.claims")]    its entries in the head of every page
    TEXT = {"navigation.claims": ("Claims", "论断")}        its strings in English and Chinese
    ORDER = 30                                             its place among the modules, and so among the entries; 50 by default
"""
