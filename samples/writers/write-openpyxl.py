"""Writes month-end.csv as openpyxl writes it: python3 write-openpyxl.py OUT.xlsx"""
import csv, datetime, sys
from openpyxl import Workbook

rows = list(csv.reader(open("month-end.csv", encoding="utf-8", newline="")))
book = Workbook()
tab = book.active
tab.title = "Payouts"
for r, cells in enumerate(rows, 1):
    for c, value in enumerate(cells, 1):
        value = value.replace("\r\n", "\n")
        if value == "":
            continue
        cell = tab.cell(row=r, column=c)
        if r > 2 and c == 5:
            cell.value, cell.number_format = float(value.replace(",", "")), "#,##0.00"
        elif r > 2 and c == 8:
            cell.value = datetime.datetime.strptime(value, "%d-%m-%Y")
            cell.number_format = "dd-mm-yyyy"
        else:
            cell.value, cell.number_format = value, "@"
            cell.data_type = "s"  # what begins with = is text too
tab.freeze_panes = "A3"
book.save(sys.argv[1])
