import { canonicalJson, type JsonObject } from '../../../kernel/index.ts'
import type { Manifest } from '../model/manifest.ts'

/** The largest stored manifest in bytes of UTF-8 (reference skill 1.3). */
export const MOST_BYTES = 64 * 1024

/** Returns a manifest as the JSON of its file, with all defaults. Read again, it is the same manifest. */
export function manifestJson({ extra, ...manifest }: Manifest): JsonObject {
  const { parsers, extractors } = manifest.llm_support
  const flat = extractors.map(({ slot, from, take }) => ({ slot, from, ...take }))
  return { ...extra, ...manifest, llm_support: { parsers, extractors: flat } } as unknown as JsonObject
}

/**
 * Returns the stored form of a manifest: JSON with sorted keys (RFC 8785), without comments. Its SHA-256 is the content hash, so that the
 * order, the white space and the comments of a file do not change it.
 */
export function manifestText(manifest: Manifest): string {
  return canonicalJson(manifestJson(manifest))
}
