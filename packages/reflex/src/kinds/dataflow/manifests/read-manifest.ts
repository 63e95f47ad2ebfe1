import type { Fault } from '../../../kernel/index.ts'
import { readJson } from '../../../text/index.ts'
import type { Manifest } from '../model/manifest.ts'
import { checkManifest } from './check-manifest.ts'

/** A manifest, if no rule is broken, and everything that is wrong with the text. Warnings do not refuse it. */
export interface ReadManifest {
  readonly manifest?: Manifest
  readonly findings: readonly Fault[]
}

/** Reads a `*.primitive.json`. Never throws: findings have the place in the text. */
export function readManifest(text: string, file?: string): ReadManifest {
  const json = readJson(text, file)
  if (json.value === undefined) return { findings: json.findings }
  const wrong = checkManifest(json.value, {
    locate: (path, options) => json.details(path, options),
    numberText: (path) => {
      const { offset, length } = json.place(path)
      return json.source.text.slice(offset, offset + length)
    },
  })
  const findings = [...json.findings, ...wrong]
  if (wrong.length > 0) return { findings }
  const { $schema: _, ...manifest } = json.value as unknown as Manifest & { readonly $schema?: string }
  return { manifest, findings }
}
