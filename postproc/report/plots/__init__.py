"""The report's parts: records (reading), style (drawing), one file a kind of plot, page (HTML)."""
