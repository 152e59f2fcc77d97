"""Writes month-end.csv as XlsxWriter writes it: python3 write-xlsxwriter.py OUT.xlsx"""
import csv, datetime, sys
import xlsxwriter

rows = list(csv.reader(open("month-end.csv", encoding="utf-8", newline="")))
book = xlsxwriter.Workbook(sys.argv[1])
tab = book.add_worksheet("Payouts")
text = book.add_format({"num_format": "@"})
money = book.add_format({"num_format": "#,##0.00"})
date = book.add_format({"num_format": "dd-mm-yyyy"})
for r, cells in enumerate(rows):
    for c, value in enumerate(cells):
        value = value.replace("\r\n", "\n")
        if value == "":
            tab.write_blank(r, c, None, text)
        elif r > 1 and c == 4 and cells[0] == "Total":
            first, last = 3, r - 1
            tab.write_formula(r, c, f"=SUM(E{first}:E{last})", money, float(value.replace(",", "")))
        elif r > 1 and c == 4:
            tab.write_number(r, c, float(value.replace(",", "")), money)
        elif r > 1 and c == 7:
            tab.write_datetime(r, c, datetime.datetime.strptime(value, "%d-%m-%Y"), date)
        else:
            tab.write_string(r, c, value, text)
tab.autofilter(1, 0, len(rows) - 3, 7)
book.close()
