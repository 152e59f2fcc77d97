// Writes month-end.csv as SheetJS writes it: node write-sheetjs.js OUT.xlsx
// (npm install xlsx@0.18.5; NODE_PATH names its node_modules)
const fs = require("fs"), XLSX = require("xlsx");

// A CSV with quotes, and line breaks inside of them.
function parse(text) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i], row = rows[rows.length - 1];
    if (quoted && c === '"' && text[i + 1] === '"') { row[row.length - 1] += c; i++; }
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ",") row.push("");
    else if (!quoted && c === "\r") continue;
    else if (!quoted && c === "\n") rows.push([""]);
    else if (c !== "\r") row[row.length - 1] += c;
  }
  if (rows[rows.length - 1].join("") === "") rows.pop();
  return rows;
}

const rows = parse(fs.readFileSync("month-end.csv", "utf8"));
const tab = {}, at = (r, c) => XLSX.utils.encode_cell({ r, c });
rows.forEach((cells, r) => cells.forEach((value, c) => {
  if (value === "") return;
  if (r > 1 && c === 4) tab[at(r, c)] = { t: "n", v: Number(value.replaceAll(",", "")), z: "#,##0.00" };
  else if (r > 1 && c === 7) {
    const [d, m, y] = value.split("-").map(Number);
    tab[at(r, c)] = { t: "n", v: Math.round(Date.UTC(y, m - 1, d) / 864e5) + 25569, z: "dd-mm-yyyy" };
  } else tab[at(r, c)] = { t: "s", v: value, z: "@" };
}));
tab["!ref"] = "A1:" + at(rows.length - 1, 7);
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(book, tab, "Payouts");
XLSX.writeFile(book, process.argv[2], { bookSST: process.argv[3] === "shared", compression: true });
