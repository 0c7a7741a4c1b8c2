; Headings of the document itself; those inside quotes and lists are text. The hook checks what encloses them.
(section (atx_heading) @definition.section)
(section (setext_heading) @definition.section)
(section (atx_heading) @mark.heading)
(section (setext_heading) @mark.heading)
(paragraph) @mark.paragraph
[(block_quote) (list)] @mark.container

[(inline) (pipe_table_cell) (html_block)] @reference.text
(link_reference_definition (link_destination) @reference.destination)
