type Library = typeof import("@simplewebauthn/server") & typeof import("@simplewebauthn/server/helpers");

let loading: Promise<Library> | undefined;

/** The library that checks what devices sign. It is large, so it is read when the first passkey is answered, not at every start. */
export function webauthn(): Promise<Library> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Library> {
  // Imported first: @peculiar/x509, which the library uses, needs it.
  await import("reflect-metadata");
  const [server, helpers] = await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);
  return { ...server, ...helpers };
}
