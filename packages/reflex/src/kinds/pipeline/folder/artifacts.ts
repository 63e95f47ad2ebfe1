import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../kernel/index.ts'
import { type ArtifactLink, stripped } from './checkpoint.ts'
import { safeName } from '../contract/paths.ts'
import { LARGE } from '../engine/artifacts.ts'

/** The values of a run that are too large for its checkpoint, by the node that wrote them and their key. */
export class Artifacts {
  readonly #links = new Map<string, ArtifactLink>()
  readonly #texts = new Map<string, string>()

  get count(): number {
    return this.#links.size
  }

  /** Records a value that a node wrote. Returns the file to be written if the value is large. */
  take(node: string, key: string, value: Json): { readonly path: string; readonly text: string } | undefined {
    const name = `${node}\n${key}`
    const text = textOfLarge(value)
    if (text === undefined) {
      this.#links.delete(name)
      return undefined
    }
    const format = typeof value === 'string' ? 'text' : 'json'
    const file = `${safeName(key)}.${format === 'text' ? 'txt' : 'json'}`
    const path = `artifacts/${safeName(node)}/${file}`
    const link: ArtifactLink = {
      $artifact: {
        id: `${node}/${file}`,
        name: key,
        size_bytes: Buffer.byteLength(text),
        sha256: createHash('sha256').update(text, 'utf8').digest('hex'),
        format,
        file_path: path,
      },
    }
    this.#links.set(name, link)
    this.#texts.set(path, text)
    return { path, text }
  }

  /** Returns all files, for a folder that is being started. */
  *files(): Generator<{ readonly path: string; readonly text: string }> {
    for (const { $artifact } of this.#links.values()) yield { path: $artifact.file_path, text: this.#texts.get($artifact.file_path) ?? '' }
  }

  /** Returns values as a checkpoint stores them: large ones as links. `node` returns the node that wrote a key. */
  shown(values: JsonObject, node: (key: string) => string): JsonObject {
    const kept = stripped(values)
    if (this.#links.size === 0) return kept
    const entries = Object.entries(kept).map(([key, value]): [string, Json] => [
      key,
      (this.#links.get(`${node(key)}\n${key}`) as unknown as Json | undefined) ?? value,
    ])
    return Object.fromEntries(entries)
  }
}

/** Returns a value as text if it is large. It checks the cheapest conditions first. */
function textOfLarge(value: Json): string | undefined {
  if (typeof value === 'string') return value.length * 3 >= LARGE && Buffer.byteLength(value) >= LARGE ? value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const text = JSON.stringify(value)
  return text.length * 3 >= LARGE && Buffer.byteLength(text) >= LARGE ? text : undefined
}
