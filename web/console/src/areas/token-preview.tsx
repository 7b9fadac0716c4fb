import type { components } from "@gatehouse/api";
import { Alert, Badge, Button, Code, Group, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { CopyAsCurl } from "../kit/curl.tsx";
import { Picker, userPicker } from "../kit/picker.tsx";
import type { TabProps } from "../kit/resource.ts";
import { WriteError } from "../kit/states.tsx";

type Schemas = components["schemas"];

/** Shows the claims that the tokens of a client would have for a user. */
export function TokenPreview({ path, session }: TabProps<Schemas["Client"]>) {
  const t = useText();
  const [userId, setUserId] = useState<string | null>(null);
  const [scope, setScope] = useState("");
  const [preview, setPreview] = useState<Schemas["TokenPreview"] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const body = { userId, ...(scope.trim() && { scope: scope.trim() }) };
  const show = async () => {
    setBusy(true);
    setError(null);
    try {
      setPreview((await session.api.send<Schemas["TokenPreview"]>("POST", `${path}/preview`, { body })).data);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack>
      <Text size="sm">{t("Choose a user and see the claims that this application would get. No token is issued.")}</Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (userId) void show();
        }}
      >
        <Group align="flex-end">
          <Picker {...userPicker} chosen={userId} onChoose={setUserId} required />
          <TextInput
            label={t("Scopes")}
            placeholder="openid profile email"
            value={scope}
            onChange={(event) => setScope(event.currentTarget.value)}
            w={260}
          />
          <Button type="submit" disabled={userId === null} loading={busy}>
            {t("Preview")}
          </Button>
          <CopyAsCurl method="POST" path={session.api.url(`${path}/preview`)} body={body} />
        </Group>
      </form>
      <WriteError error={error} />
      {preview && (
        <>
          {!preview.allowed && (
            <Alert color="orange">{t("This user may not use the application, because its roles and groups exclude the user.")}</Alert>
          )}
          <Group gap={4}>
            {preview.scopes.map((name) => (
              <Badge key={name} variant="light">
                {name}
              </Badge>
            ))}
          </Group>
          <SimpleGrid cols={{ base: 1, lg: 3 }}>
            <Claims title={t("ID token")} claims={preview.idToken} />
            <Claims title={t("Access token")} claims={preview.accessToken} />
            <Claims title={t("Userinfo")} claims={preview.userinfo} />
          </SimpleGrid>
        </>
      )}
    </Stack>
  );
}

export function Claims({ title, claims }: { title: string; claims: unknown }) {
  const t = useText();
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {claims ? (
        <Code block tabIndex={0} aria-label={title} className="claims">
          {JSON.stringify(claims, null, 2)}
        </Code>
      ) : (
        <Text size="sm" c="dimmed">
          {t("None without the scope openid.")}
        </Text>
      )}
    </Stack>
  );
}
