import { Button, Card, FileButton, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { succeeded } from "../kit/notify.ts";

interface Image {
  readonly name: string;
  readonly href: string;
  readonly width: number;
  readonly height: number;
}

const kinds = [
  { name: "logo", title: "Logo", description: "Above every page, and in mails if it is a PNG." },
  { name: "logo-dark", title: "Logo for the dark scheme", description: "Takes its place on dark cards." },
  { name: "favicon", title: "Icon", description: "In the tab of the browser." },
] as const;

/** The pictures of the brand. They count at once: they are not part of the form below. */
export function BrandImages() {
  const t = useText();
  const { api, realm } = useRealm();
  const client = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const images = useQuery({
    queryKey: [realm, "images"],
    queryFn: ({ signal }) => api.get<readonly Image[]>("/settings/images", { signal }),
  });

  const run = async (call: Promise<unknown>) => {
    setProblem(null);
    try {
      await call;
      succeeded(t("Saved"));
      // A new logo changes the settings, too.
      await client.invalidateQueries({ queryKey: [realm] });
    } catch (error) {
      setProblem(t(messageOf(error)));
    }
  };
  const upload = (name: string, file: File | null) =>
    file && void run(api.send("PUT", `/settings/images/${name}`, { body: file, contentType: file.type || "image/svg+xml" }));

  return (
    <Card withBorder maw={760}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            {t("Images")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("PNG or SVG, at most 512 kB. They are shown as soon as they are uploaded.")}
          </Text>
        </div>
        {problem && (
          <Text c="red" role="alert" size="sm">
            {problem}
          </Text>
        )}
        {kinds.map(({ name, title, description }) => {
          const image = images.data?.data.find((one) => one.name === name);
          return (
            <Group key={name} justify="space-between" wrap="nowrap">
              <Group wrap="nowrap">
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
                <FileButton accept="image/png,image/svg+xml" onChange={(file) => upload(name, file)}>
                  {(props) => (
                    <Button {...props} size="xs" variant="default" aria-label={`${t("Upload")}: ${t(title)}`}>
                      {t("Upload")}
                    </Button>
                  )}
                </FileButton>
                {image && (
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`${t("Remove")}: ${t(title)}`}
                    onClick={() => void run(api.send("DELETE", `/settings/images/${name}`))}
                  >
                    {t("Remove")}
                  </Button>
                )}
              </Group>
            </Group>
          );
        })}
      </Stack>
    </Card>
  );
}
