"""The report's parts: records (reading), style (drawing), one file per kind of plot, page (HTML)."""
