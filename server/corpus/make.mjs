// Makes the list of common passwords that ships: words.txt, widened by what people do to a word when a policy asks for more characters.
//   node corpus/make.mjs
// The words were collected by hand from what is public knowledge about leaked passwords; nothing was downloaded.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const DIGEST_BYTES = 5;
/** The least that a policy can ask for. */
const MIN_LENGTH = 4;
const words = new URL("words.txt", import.meta.url);
const list = new URL("../src/platform/passwords/common-passwords.txt", import.meta.url);

/** Behind every word. */
const few = ["", "1", "12", "123", "1234", "!", "1!", "123!", "@123", "2024", "2025"];
/** Behind the words that are chosen most. */
const many = [
  ...few,
  ...[
    "2",
    "3",
    "4",
    "5",
    "6",
    "8",
    "9",
    "0",
    "10",
    "11",
    "13",
    "21",
    "22",
    "23",
    "69",
    "77",
    "88",
    "99",
    "00",
    "01",
    "007",
    "111",
    "321",
    "666",
    "777",
    "12345",
    "123456",
    "123456789",
  ],
  ...[
    "!!",
    "!1",
    "@",
    "#",
    "$",
    ".",
    "?",
    "*",
    "_1",
    "-1",
    "12!",
    "1234!",
    "@1",
    "@12",
    "@1234",
    "#1",
    "#123",
    "_123",
    "$1",
    "01!",
    "1@",
    "1$",
  ],
  ...Array.from({ length: 47 }, (_, i) => String(1980 + i)),
  ...Array.from({ length: 8 }, (_, i) => `${2019 + i}!`),
  ...Array.from({ length: 8 }, (_, i) => `@${2019 + i}`),
];

const capital = (/** @type {string} */ word) => word.charAt(0).toUpperCase() + word.slice(1);
/** @param {string} word @param {Record<string, string>} letters */
const written = (word, letters) => [...word].map((letter) => letters[letter] ?? letter).join("");

/** With other characters in place of letters. @param {string} word */
function* playfulSpellings(word) {
  for (const letters of [
    { o: "0" },
    { a: "@" },
    { a: "@", o: "0" },
    { a: "4" },
    { e: "3" },
    { i: "1" },
    { s: "$" },
    { a: "@", s: "$", o: "0" },
    { a: "4", e: "3", i: "1", o: "0" },
  ]) {
    const played = written(word, /** @type {Record<string, string>} */ (letters));
    if (played !== word) yield* [played, capital(played)];
  }
}

/** Runs along the keys and digits, both ways. */
function* runs() {
  const rows = [
    "1234567890",
    "0123456789",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
  ];
  for (const row of rows.flatMap((keys) => [keys, [...keys].reverse().join("")]))
    for (let from = 0; from < row.length; from++)
      for (let to = from + MIN_LENGTH; to <= Math.min(row.length, from + 12); to++) {
        const run = row.slice(from, to);
        yield* [run, run + run];
        if (!/^\d/.test(run)) yield* ["1", "12", "123", "1234", "!", "1!", "123!"].flatMap((end) => [run + end, capital(run) + end]);
      }
  const columns = [
    "1qaz",
    "2wsx",
    "3edc",
    "4rfv",
    "5tgb",
    "6yhn",
    "7ujm",
    "8ik,",
    "qaz",
    "wsx",
    "edc",
    "rfv",
    "tgb",
    "zaq1",
    "xsw2",
    "cde3",
    "zaq",
    "1q2w",
    "3e4r",
    "5t6y",
    "q1w2",
    "e3r4",
    "t5y6",
    "q2w3",
    "!qaz",
    "@wsx",
    "#edc",
  ];
  for (const one of columns) {
    yield* [one + one, `${one}${one}${one}`];
    for (const two of columns) {
      yield* [one + two, capital(one) + two, capital(one) + capital(two), one + two.toUpperCase()];
    }
  }
}

/** One character, or two to four of them, again and again; and dates of birth as digits. */
function* repetitions() {
  for (const character of "0123456789abcdefghijklmnopqrstuvwxyz.!*@#$-+")
    for (let length = MIN_LENGTH; length <= 16; length++) yield character.repeat(length);
  for (let number = 0; number < 1000; number++)
    for (const times of [2, 3, 4])
      yield String(number)
        .padStart(number < 100 ? 2 : 3, "0")
        .repeat(times);
  for (let year = 1970; year <= 2010; year++)
    for (let month = 1; month <= 12; month++)
      for (const day of [1, 2, 5, 10, 11, 12, 15, 20, 22, 25]) {
        const [d, m] = [String(day).padStart(2, "0"), String(month).padStart(2, "0")];
        yield `${d}${m}${year}`;
      }
  for (let year = 1900; year <= 2035; year++) yield* [String(year), `${year}${year}`];
}

/** All of them. Lines of words.txt that begin with `+` are chosen most. */
export function* commonPasswords() {
  for (const line of readFileSync(words, "utf8").split("\n")) {
    if (line === "" || line.startsWith("//")) continue;
    const chosenMost = line.startsWith("+");
    for (const word of line.replace("+", "").trim().split(/\s+/)) {
      for (const end of chosenMost ? many : few) yield* [word + end, capital(word) + end];
      if (!chosenMost) continue;
      for (const spelling of [...playfulSpellings(word), word.toUpperCase(), word + word]) for (const end of few) yield spelling + end;
    }
  }
  yield* runs();
  yield* repetitions();
}

/** The file's content: the beginnings of their SHA-1, sorted, in one line of base64. */
export function makeList() {
  const digests = new Set();
  for (const password of commonPasswords())
    if (password.length >= MIN_LENGTH)
      digests.add(
        createHash("sha1")
          .update(password)
          .digest("hex")
          .slice(0, 2 * DIGEST_BYTES),
      );
  return Buffer.from([...digests].sort().join(""), "hex").toString("base64");
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) writeFileSync(list, `${makeList()}\n`);
