"""A machine in one document, for tickets and procurement: findings, devices, specs, restrictions, versions, gaps.

document   the records that a report consists of: words and figures, no mark-up
build      makes the document of a snapshot, a diagnosis and the spec database; each section has a file of its own
markdown   the document as Markdown; html as one page that needs no other file, styled by style
Pure: what is not in the arguments is not in the document.
"""
