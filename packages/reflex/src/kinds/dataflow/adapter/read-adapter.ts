import type { Fault } from '../../../kernel/index.ts'
import { type Locator, readJson } from '../../../text/index.ts'
import type { Adapter } from '../model/adapter.ts'
import { checkAdapter } from './check-adapter.ts'

/** An adapter, unless it has errors, and all findings. */
export interface ReadAdapterResult {
  readonly adapter?: Adapter
  readonly findings: readonly Fault[]
  /** Returns the place of a part in the text. */
  readonly locate?: Locator
}

/**
 * Reads an adapter from JSON with comments. Never throws. Finds the mistakes of the text (`R1001` to `R1004`), of the shape (`R1011` to
 * `R1015`), and the rules ADP-1 to ADP-19 that it breaks (`R1351` to `R1355`), each with its place. `runtime` is the version of the runtime.
 */
export function readAdapter(text: string, file?: string, runtime?: string): ReadAdapterResult {
  const json = readJson(text, file)
  if (json.value === undefined) return { findings: json.findings }
  const locate: Locator = (path, options) => json.details(path, options)
  const broken = checkAdapter(json.value, { locate, runtime })
  const findings = [...json.findings, ...broken]
  if (broken.length > 0) return { findings, locate }
  return { adapter: json.value as unknown as Adapter, findings, locate }
}
