import type { components } from "@gatehouse/api";
import { Button, Card, FileButton, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { succeeded } from "../kit/notify.ts";

type Image = components["schemas"]["RealmImage"];

const MAX_BYTES = 512 * 1024;
const TYPES = ["image/png", "image/svg+xml"];

const kinds = [
  { name: "logo", title: "Logo", description: "Shown above every page, and in mails if it is a PNG." },
  { name: "logo-dark", title: "Logo for the dark scheme", description: "Takes its place on dark cards." },
  { name: "favicon", title: "Icon", description: "In the tab of the browser." },
  { name: "background", title: "Background", description: "Shown behind the card, in place of the background style." },
] as const;
type Kind = (typeof kinds)[number];

/** The images of the brand. They apply at once, because they are not part of the form below. */
export function BrandImages() {
  const t = useText();
  const { api, realm } = useRealm();
  const images = useQuery({
    queryKey: [realm, "images"],
    queryFn: ({ signal }) => api.get<readonly Image[]>("/settings/images", { signal }),
  });
  return (
    <Card withBorder>
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            {t("Images")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("PNG or SVG, at most 512 kB. They are shown as soon as they are uploaded.")}
          </Text>
        </div>
        {kinds.map((kind) => (
          <BrandImage key={kind.name} kind={kind} image={images.data?.data.find(({ name }) => name === kind.name)} />
        ))}
      </Stack>
    </Card>
  );
}

function BrandImage({ kind: { name, title, description }, image }: { kind: Kind; image: Image | undefined }) {
  const t = useText();
  const { api, realm } = useRealm();
  const client = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const again = useRef<() => void>(null);

  const run = async (call: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await call();
      succeeded(t("Saved"));
      // A new logo also changes the settings.
      await client.invalidateQueries({ queryKey: [realm] });
    } catch (error) {
      setProblem(t(messageOf(error)));
    } finally {
      setBusy(false);
      // The same file can be chosen again after it was corrected.
      again.current?.();
    }
  };
  const upload = (file: File | null) => {
    if (!file) return;
    if (!TYPES.includes(file.type)) return setProblem(t("{name} is neither a PNG nor an SVG.", { name: file.name }));
    if (file.size > MAX_BYTES) return setProblem(t("{name} is larger than 512 kB.", { name: file.name }));
    void run(() => api.send("PUT", `/settings/images/${name}`, { body: file, contentType: file.type }));
  };

  return (
    <div>
      <Group justify="space-between">
        <Group wrap="nowrap" className="brand-image-row">
          <div className={`brand-image brand-image--${name}`}>{image && <img src={image.href} alt={t(title)} />}</div>
          <div>
            <Text fw={600} size="sm">
              {t(title)}
            </Text>
            <Text size="sm" c="dimmed">
              {t(description)}
            </Text>
          </div>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <FileButton accept={TYPES.join(",")} resetRef={again} onChange={upload}>
            {(props) => (
              <Button {...props} size="xs" variant="default" loading={busy} aria-label={`${t("Upload")}: ${t(title)}`}>
                {t("Upload")}
              </Button>
            )}
          </FileButton>
          {image && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              disabled={busy}
              aria-label={`${t("Remove")}: ${t(title)}`}
              onClick={() => void run(() => api.send("DELETE", `/settings/images/${name}`))}
            >
              {t("Remove")}
            </Button>
          )}
        </Group>
      </Group>
      {problem && (
        <Text className="field-error" role="alert" mt={4}>
          {problem}
        </Text>
      )}
    </div>
  );
}
