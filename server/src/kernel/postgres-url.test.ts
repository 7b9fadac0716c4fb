import { expect, test } from "vitest";
import { readPostgresUrl } from "./postgres-url.ts";

const read = (url: string) => {
  const address = readPostgresUrl(url);
  if (typeof address === "string") throw new Error(address);
  return address;
};

test("one host is taken as it is, without what only libpq knows", () => {
  expect(read("postgres://u:p@db/x?sslmode=require&target_session_attrs=read-write")).toEqual({
    urls: ["postgres://u:p@db/x?sslmode=require"],
    names: ["db:5432"],
    attrs: "read-write",
  });
  expect(read("postgresql://db")).toMatchObject({ urls: ["postgresql://db"], attrs: "any" });
  expect(read("postgres://u@/x?host=/run/postgresql")).toMatchObject({ names: ["/run/postgresql"] });
  expect(read("postgres://u@localhost:5433/x?host=%2Frun").urls, "a socket with the port of the authority").toEqual([
    "postgres://u@/x?host=%2Frun&port=5433",
  ]);
});

test("several hosts are several URLs, each with its port and all with the rest", () => {
  expect(read("postgres://u:p%2C@a:1,[2001:db8::1]:2,c/x?sslmode=require")).toEqual({
    urls: [
      "postgres://u:p%2C@a:1/x?sslmode=require",
      "postgres://u:p%2C@[2001:db8::1]:2/x?sslmode=require",
      "postgres://u:p%2C@c/x?sslmode=require",
    ],
    names: ["a:1", "[2001:db8::1]:2", "c:5432"],
    attrs: "read-write",
  });
  expect(read("postgres://u@/x?host=a,b&port=1,2&target_session_attrs=primary")).toEqual({
    urls: ["postgres://u@/x?host=a&port=1", "postgres://u@/x?host=b&port=2"],
    names: ["a:1", "b:2"],
    attrs: "primary",
  });
});

test.each([
  ["postgres://a,,b/x", "host or host:port"],
  ["postgres://a:99999,b/x", "host or host:port"],
  ["postgres://a:x,b/x", "host or host:port"],
  ["postgres:///x?host=a,b&port=1,2,3", "as many hosts as ports"],
  ["postgres://a/x?target_session_attrs=standby", "leads to a standby"],
  ["postgres://a/x?target_session_attrs=prefer-standby", "leads to a standby"],
  ["postgres://a/x?target_session_attrs=writable", "must be one of any, read-write, primary"],
])("%s is refused in words", (url, words) => {
  expect(readPostgresUrl(url)).toContain(words);
});
