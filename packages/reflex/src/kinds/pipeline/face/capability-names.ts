import { checkArguments, listOf, optional, TEXT } from '../../../text/index.ts'
import { fileUri as ofFile, netUri as ofAddress, uri as ofSteps } from '../model/capability-uris.ts'

/** A capability, its steps made safe: `uri('tool', name)`. Steps that are empty are left out. */
export function uri(prefix: string, ...steps: readonly string[]): string {
  checkArguments('uri', { prefix: [prefix, TEXT], steps: [steps, listOf(TEXT)] })
  return ofSteps(prefix, ...steps)
}

/** The capability for a file; without a path, which a value of the context then names, the one for every file. */
export function fileUri(access: 'read' | 'write', path: string | undefined): string {
  checkArguments('fileUri', { access: [access, TEXT], path: [path, optional(TEXT)] })
  return ofFile(access, path)
}

/** The capability for an address: its host, or the one for every host where the address cannot be read. */
export function netUri(address: string | undefined): string {
  checkArguments('netUri', { address: [address, optional(TEXT)] })
  return ofAddress(address)
}
