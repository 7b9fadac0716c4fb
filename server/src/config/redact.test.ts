import { describe, expect, test } from "vitest";
import { redact, redactUrl } from "./redact.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");

describe("redaction", () => {
  test.each([
    ["postgres://gatehouse:hunter2@db:5432/x?sslmode=require", "postgres://gatehouse:***@db:5432/x?sslmode=require"],
    ["postgres://db/x?user=a&password=hunter2", "postgres://db/x?user=a&password=***"],
    ["redis://:hunter2@cache", "redis://:***@cache"],
    ["https://logs.example.org/in?token=hunter2", "https://logs.example.org/in?token=***"],
    ["https://id.example.org", "https://id.example.org"],
    ["postgres://a:hunter2@/x?host=/run", "***"],
    ["postgres://a:hunter2@db1:5432,db2/x?sslmode=require", "postgres://a:***@db1:5432,db2/x?sslmode=require"],
    ["postgres://a:12/hunter2@db1,db2/x", "***"],
    ["postgres://a:12#hunter2@db/x", "***"],
    ["postgres://a:12/hunter2@db/x", "***"],
  ])("shows %s as %s", (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });

  test("hides every secret that is no URL, and nothing that is not secret", () => {
    expect(redact("masterKey", KEY)).toBe("***");
    expect(redact("masterKeyPrevious", [KEY, OTHER_KEY])).toEqual(["***", "***"]);
    expect(redact("bootstrapAdminPassword", "hunter2")).toBe("***");
    expect(redact("audit.httpToken", "hunter2")).toBe("***");
    expect(redact("masterKey", null)).toBeNull();
    expect(redact("allowedHosts", ["10.0.0.1"])).toEqual(["10.0.0.1"]);
  });

  test("hides a password that looks like a URL", () => {
    expect(redact("bootstrapAdminPassword", "x://hunter2")).toBe("***");
  });
});
