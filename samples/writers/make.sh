#!/bin/sh
# Writes the sheets of the other programs again from month-end.csv. Run it in
# this folder; README.md names the versions that wrote what is committed.
set -eu
python3=${PYTHON3:-/usr/bin/python3}
$python3 write-openpyxl.py openpyxl.xlsx
$python3 write-xlsxwriter.py xlsxwriter.xlsx
node write-sheetjs.js sheetjs.xlsx
node write-sheetjs.js sheetjs-shared.xlsx shared
perl write-excel-writer-xlsx.pl excel-writer-xlsx.xlsx
ssconvert --export-type=Gnumeric_Excel:xlsx2 openpyxl.xlsx gnumeric.xlsx
out=$(mktemp -d)
soffice --headless --convert-to xlsx:"Calc MS Excel 2007 XML" --outdir "$out" openpyxl.xlsx
mv "$out/openpyxl.xlsx" libreoffice.xlsx
rmdir "$out"
