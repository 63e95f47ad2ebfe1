import { checkArguments, listOf, optional, TEXT } from '../../../text/index.ts'
import { fileUri as ofFile, netUri as ofAddress, uri as ofSteps } from '../model/capability-uris.ts'

/** Builds a capability from escaped steps: `uri('tool', name)`. Skips empty steps. */
export function uri(prefix: string, ...steps: readonly string[]): string {
  checkArguments('uri', { prefix: [prefix, TEXT], steps: [steps, listOf(TEXT)] })
  return ofSteps(prefix, ...steps)
}

/** Returns the capability for a file. Without a path (the context names it at run time), returns the capability for every file. */
export function fileUri(access: 'read' | 'write', path: string | undefined): string {
  checkArguments('fileUri', { access: [access, TEXT], path: [path, optional(TEXT)] })
  return ofFile(access, path)
}

/** Returns the capability for the host of an address. If the address cannot be parsed, returns the capability for every host. */
export function netUri(address: string | undefined): string {
  checkArguments('netUri', { address: [address, optional(TEXT)] })
  return ofAddress(address)
}
