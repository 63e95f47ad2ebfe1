/** What every message to a control plane says of its sender. */
export function senderOf(project: string): { readonly sdk: string; readonly project: string; readonly schema: 1 } {
  return { sdk: 'reflex-runtime', project, schema: 1 }
}
