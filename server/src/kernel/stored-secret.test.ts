import { expect, test } from "vitest";
import { secretChange } from "./stored-secret.ts";

const moved = (before: string[], after: string[]) => secretChange({}, before, after);

test("a secret that is left out stays with scheme, host and port, whatever the path", () => {
  expect(moved(["https://a.example/x"], ["https://a.example/y?z#f"])).toBe("kept");
  expect(moved(["https://a.example"], ["https://A.EXAMPLE:443/"])).toBe("kept");
  expect(moved(["smtp+tls://a.example:465"], ["smtp+tls://A.example:465"])).toBe("kept");
  expect(moved(["https://a.example", "https://b.example"], ["https://b.example"])).toBe("kept");
});

test.each([
  ["https://a.example", "http://a.example"],
  ["https://a.example", "https://a.example:8443"],
  ["https://a.example", "https://b.example"],
  ["https://a.example", "https://a.example.evil.example"],
  ["https://a.example", "https://a.example@evil.example"],
  ["https://a.example", "https://evil.example#@a.example"],
  ["https://a.example", "https://evil.example\\\\@a.example"],
  ["smtp+tls://a.example:465", "smtp+none://a.example:465"],
  ["ldaps://a.example", "ldap://a.example"],
  ["not an address", "another"],
])("from %s to %s it is cleared, unless the request brings it", (before, after) => {
  expect(moved([before], [after])).toBe("cleared");
  expect(moved([before], [before, after]), "one address more").toBe("cleared");
  expect(secretChange({ secret: null, secretSet: true }, [before], [after])).toBe("cleared");
  expect(secretChange({ secret: "new" }, [before], [after])).toBe("replaced");
});

test("null clears it, unless it was read so", () => {
  const same = ["https://a.example"];
  expect(secretChange({ secret: null }, same, same)).toBe("cleared");
  expect(secretChange({ secret: null, secretSet: false }, same, same)).toBe("cleared");
  expect(secretChange({ secret: null, secretSet: true }, same, same)).toBe("kept");
});
