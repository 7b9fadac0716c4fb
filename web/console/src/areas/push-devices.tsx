import registerSchema from "virtual:schema/RegisterPushToken";
import type { components } from "@gatehouse/api";
import { Badge, Code } from "@mantine/core";
import { useState } from "react";
import { onePicked } from "../kit/picked.tsx";
import { Picker, userPicker } from "../kit/picker.tsx";
import { SubForm } from "../kit/sub-form.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";

type PushToken = components["schemas"]["PushToken"];

/** Shows the devices that get push messages, of everybody or of one person. */
export function PushDevices() {
  const [userId, setUserId] = useState<string | null>(null);
  return (
    <>
      <Picker {...userPicker} label="Only the devices of" chosen={userId} onChoose={setUserId} />
      <SubList<PushToken>
        path="/messaging/push-tokens"
        {...(userId !== null && { query: { userId } })}
        manage={["manage-users", "manage-realm"]}
        id={({ id }) => id}
        empty="No device gets push messages"
        emptyText="An application registers its device with the token that FCM or APNs gave it."
        columns={[
          { title: "Device", render: ({ deviceName }) => deviceName ?? "–" },
          { title: "Driver", render: ({ driver }) => <Badge variant="light">{driver}</Badge> },
          { title: "Token", wide: true, render: ({ token }) => <Code>{token}</Code> },
          { title: "User", wide: true, render: ({ userId: owner }) => <Code>{owner}</Code> },
          { title: "Added", wide: true, render: ({ createdAt }) => <When time={createdAt} /> },
          { title: "Last used", render: ({ lastUsedAt }) => <When time={lastUsedAt} /> },
        ]}
        name={({ deviceName, token }) => deviceName ?? token}
        remove={({ id }) => `/messaging/push-tokens/${id}`}
        add={(reload) => (
          <SubForm
            title="Register a device"
            path="/messaging/push-tokens"
            form={{
              schema: registerSchema,
              sections: [{ fields: ["userId", "driver", "token", "deviceName"] }],
              controls: { userId: onePicked(userPicker, true) },
            }}
            defaults={{ driver: "fcm" }}
            reload={reload}
          />
        )}
      />
    </>
  );
}
