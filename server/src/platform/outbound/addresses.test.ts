import { describe, expect, test } from "vitest";
import { isLoopbackAddress, isPublicAddress, plainAddress } from "./addresses.ts";
import { canonicalHost, parseAllowance, parseTarget } from "./targets.ts";

describe("addresses", () => {
  test.each([
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "198.17.255.255",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2002:808:808::1",
    "64:ff9b::8.8.8.8",
    "::ffff:8.8.8.8",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
    ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1"]],
    ["link-local", ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"]],
    ["site-local", ["fec0::1", "feff::1"]],
    ["carrier-grade NAT", ["100.64.0.1", "100.127.255.255"]],
    ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1"]],
    ["broadcast and reserved", ["255.255.255.255", "240.0.0.1", "192.0.0.1", "100::1", "4000::1", "5f00::1"]],
    [
      "documentation and benchmarks",
      ["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "2001:db8::1", "3fff::1", "2001:2::1"],
    ],
    ["IPv4-mapped", ["::ffff:127.0.0.1", "::ffff:7f00:1", "::FFFF:169.254.169.254", "0:0:0:0:0:ffff:10.0.0.1"]],
    ["IPv4-compatible", ["::127.0.0.1", "::a00:1", "::8.8.8.8"]],
    ["NAT64", ["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::10.0.0.1"]],
    ["6to4", ["2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::1"]],
    ["Teredo", ["2001:0:4136:e378:8000:63bf:f5ff:fffe", "2001::1"]],
    ["ISATAP", ["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:192.168.0.1"]],
    ["not addresses", ["", "localhost", "1.2.3", "256.1.1.1", "::g", "0x7f.1", "8.8.8.8 "]],
  ])("%s is not public", (_name, addresses) => {
    for (const address of addresses) expect.soft(isPublicAddress(address), address).toBe(false);
  });

  test.each([
    ["192.0.2.1:8080", "192.0.2.1"],
    ["[2001:db8::1]:8080", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[::ffff:10.1.2.3]:1", "10.1.2.3"],
  ])("%s is the address %s, with a port or brackets", (written, plain) => {
    expect(plainAddress(written)).toBe(plain);
  });

  test("a mapped address is the IPv4 address it stands for", () => {
    expect(plainAddress("::ffff:10.1.2.3")).toBe("10.1.2.3");
    expect(plainAddress("fe80::1%eth0")).toBe("fe80::1");
    expect(isLoopbackAddress("::ffff:127.0.0.2")).toBe(true);
    expect(isLoopbackAddress("::ffff:10.0.0.1")).toBe(false);
  });
});

describe("hosts", () => {
  test.each([
    ["127.0.0.1", ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "１２７.0.0.1"]],
    ["169.254.169.254", ["2852039166", "0xA9FEA9FE", "0251.0376.0251.0376"]],
    ["::1", ["[::1]", "::1", "[0:0:0:0:0:0:0:1]"]],
    ["localhost", ["LOCALHOST", "localhost.", "ⓛocalhost"]],
    ["xn--bcher-kva.example", ["bücher.example", "BÜCHER.example."]],
  ])("%s has one spelling", (host, spellings) => {
    for (const spelling of spellings) expect.soft(canonicalHost(spelling), spelling).toBe(host);
  });

  test.each([
    "",
    " ",
    "a b",
    "a/b",
    "a@b",
    "user:pw@host",
    "host:80",
    "host:",
    "[::1]:25",
    "fe80::1%eth0",
    "[fe80::1%25eth0]",
    "a?b",
    "a#b",
    "a\\b",
    "a..",
    "1.2.3.4.5",
    "%31",
    "\u0000",
  ])("%j is not a host", (host) => {
    expect(() => canonicalHost(host)).toThrow(expect.objectContaining({ reason: "bad_url" }));
  });
});

describe("URLs", () => {
  test.each([
    ["not a url", "bad_url"],
    ["https://user:pass@host/", "bad_url"],
    ["https://user@host/", "bad_url"],
    ["https://host:0/", "bad_url"],
    ["https://host:65536/", "bad_url"],
    ["https://[fe80::1%25eth0]/", "bad_url"],
    ["https://a../", "bad_url"],
    ["file:///etc/passwd", "scheme"],
    ["gopher://host/", "scheme"],
    ["ftp://host/", "scheme"],
    ["data:text/plain,x", "scheme"],
  ])("%s is refused as %s", (url, reason) => {
    expect(() => parseTarget(url)).toThrow(expect.objectContaining({ reason }));
  });

  test("no message repeats what may be secret", () => {
    for (const url of ["https://user:hunter2@host/", "https://host:0/?token=hunter2", "ftp://host/hunter2", "ht!tp://hunter2"]) {
      expect(() => parseTarget(url)).toThrow(expect.objectContaining({ message: expect.not.stringContaining("hunter2") }));
    }
  });

  test("the checked address is the one that is called", () => {
    const { url, target } = parseTarget("https://EXAMPLE.com.:8443/a?b=c#d");
    expect(url.href).toBe("https://example.com:8443/a?b=c");
    expect(target).toEqual({ host: "example.com", port: 8443 });
    expect(parseTarget("http://[::ffff:7f00:1]/").target).toEqual({ host: "::ffff:7f00:1", port: 80 });
  });
});

describe("the list of allowed hosts", () => {
  test.each([
    ["10.0.0.0/8", { kind: "addresses", cidr: "10.0.0.0/8", port: null }],
    ["fd00::/8", { kind: "addresses", cidr: "fd00::/8", port: null }],
    ["fd00::1", { kind: "addresses", cidr: "fd00::1", port: null }],
    ["[fd00::1]:636", { kind: "addresses", cidr: "fd00::1", port: 636 }],
    ["10.1.2.3:8080", { kind: "addresses", cidr: "10.1.2.3", port: 8080 }],
    [" LDAP.internal.:636 ", { kind: "name", name: "ldap.internal", port: 636 }],
    ["mail", { kind: "name", name: "mail", port: null }],
  ])("reads %s", (entry, allowance) => {
    expect(parseAllowance(entry)).toEqual(allowance);
  });

  test.each(["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "host/8", "host:0", "host:99999", "https://host", "*", "a b"])(
    "refuses %j",
    (entry) => {
      expect(() => parseAllowance(entry)).toThrow(TypeError);
    },
  );
});
