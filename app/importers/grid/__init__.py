"""Finding tables and lists in text: Markdown, boxes, CSV, spreadsheet selections, numbered lists. Knows no workload."""
