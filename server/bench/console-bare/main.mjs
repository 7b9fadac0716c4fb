// @ts-nocheck: built by Vite, for the browser.
// A minimal page of Mantine with a frame, a navigation, a menu, a field and a table, with which the console's first screen is compared.
import "@mantine/core/styles.css";
import { AppShell, Burger, Button, Group, MantineProvider, Menu, NavLink, Table, Text, TextInput, Title } from "@mantine/core";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";

const ENTRIES = Array.from({ length: 24 }, (_, n) => `Entry ${n}`);

const page = h(
  MantineProvider,
  null,
  h(
    AppShell,
    { header: { height: 56 }, navbar: { width: 248, breakpoint: "sm" }, padding: "lg" },
    h(
      AppShell.Header,
      null,
      h(
        Group,
        null,
        h(Burger, { "aria-label": "Navigation" }),
        h(Menu, null, h(Menu.Target, null, h(Button, null, "Menu")), h(Menu.Dropdown, null, h(Menu.Item, null, "Item"))),
      ),
    ),
    h(AppShell.Navbar, null, ...ENTRIES.map((label) => h(NavLink, { key: label, label, href: "#" }))),
    h(
      AppShell.Main,
      { id: "main" },
      h(Title, { order: 1 }, "A page"),
      h(TextInput, { label: "Search" }),
      h(Text, null, "Text"),
      h(Table, { data: { head: ["One", "Two"], body: ENTRIES.map((entry) => [entry, entry]) } }),
    ),
  ),
);

createRoot(document.getElementById("root")).render(page);
