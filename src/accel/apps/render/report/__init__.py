"""A machine in one document, for tickets and procurement: findings, devices, specs, restrictions, versions, gaps.

document   the records that a report consists of: words and figures, no markup
build      builds the document from a snapshot, a diagnosis and the spec database; each section has its own file
markdown   the document as Markdown; html as one self-contained page, styled by style

Pure: the document contains only what is in the arguments.
"""
