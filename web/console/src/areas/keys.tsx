import type { components } from "@gatehouse/api";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { confirmed } from "../kit/confirm.tsx";
import { failed, succeeded } from "../kit/notify.ts";
import type { Resource, TabProps } from "../kit/resource.ts";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";

type Key = components["schemas"]["RealmKey"];

function Rotate() {
  const t = useText();
  const { api, realm, may } = useRealm();
  const client = useQueryClient();
  const rotate = async () => {
    const text = t(
      "A new key signs from now on. Tokens of the present key stay valid; SAML service providers must trust the new certificate.",
    );
    if (!(await confirmed({ title: t("Rotate the signing key"), text, action: t("Rotate") }))) return;
    try {
      await api.send("POST", "/keys/rotate");
      succeeded(t("A new key signs from now on"));
      await client.invalidateQueries({ queryKey: [realm] });
    } catch (error) {
      failed(error);
    }
  };
  if (!may("manage-realm")) return null;
  return (
    <Group>
      <Button onClick={() => void rotate()}>{t("Rotate the signing key")}</Button>
    </Group>
  );
}

function Material({ item }: TabProps<Key>) {
  const t = useText();
  return (
    <Stack>
      <Text fw={600}>{t("Public key")}</Text>
      <Code block tabIndex={0} className="secret">
        {item.publicKey}
      </Code>
      <Text fw={600}>{t("Certificate")}</Text>
      <Code block tabIndex={0} className="secret">
        {item.certificate}
      </Code>
    </Stack>
  );
}

export const keys: Resource<Key> = {
  title: "Signing keys",
  singular: "key",
  description: "The keys that sign tokens and SAML assertions of this realm.",
  path: "/keys",
  key: ({ keyId }) => keyId,
  name: ({ keyId }) => keyId,
  permission: { view: ["manage-realm"], manage: ["manage-realm"] },
  columns: [
    { title: "Key", render: ({ keyId }) => <Code>{keyId}</Code> },
    { title: "Algorithm", render: ({ algorithm }) => algorithm },
    {
      title: "Status",
      render: ({ status }) => <Word of="status" value={status} color={status === "ACTIVE" ? "teal" : "gray"} />,
    },
    { title: "Created", render: ({ createdAt }) => <When time={createdAt} /> },
    { title: "Rotated", wide: true, render: ({ rotatedAt }) => <When time={rotatedAt} /> },
  ],
  Header: Rotate,
  tabs: [{ id: "material", title: "Public key", Component: Material }],
  canDelete: ({ status }) => status !== "ACTIVE",
  listOnly: true,
};
