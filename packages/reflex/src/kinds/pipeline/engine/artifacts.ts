import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Rec } from '../../../kernel/journal/record.ts'
import type { BoardReader } from '../../../kernel/state/scope.ts'
import { folderAt } from '../contract/paths.ts'
import type { FrameStep } from './frame-step.ts'

/** Bytes from which on a piece is large: the journal names it by its hash, and a run's folder has it as a file (seed pipeline 7.5). */
export const LARGE = 102_400

/** A piece of data that a node has stored beside the context (reference pipeline 6.6). */
export interface Artifact {
  /** `<node>/<name>`. */
  readonly id: string
  readonly name: string
  readonly size_bytes: number
  /** ISO 8601, UTC: when the node that stored it began. */
  readonly stored_at: string
  readonly storage: 'memory' | 'file'
  /** Where the run's folder has it. */
  readonly file_path?: string
}

/** Where the pieces are kept: behind it stands the id. */
export const ARTIFACT = '#artifact/'

/** A name as a part of a path: nothing in it leads anywhere. */
export function artifactName(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_').slice(0, 200)
  return /^\.*$/.test(plain) ? `_${plain.replaceAll('.', '_')}` : plain
}

/** In place of data that lies in a file already: its absolute path, and what it holds. */
export type StoredFile = { readonly $file: string; readonly bytes: number; readonly sha256: string }

/** Returns the file in which a piece of data lies, if it is not in the journal. */
export function storedFile(data: Json): StoredFile | undefined {
  return isObject(data) && typeof data['$file'] === 'string' && typeof data['bytes'] === 'number'
    ? (data as unknown as StoredFile)
    : undefined
}

/** What is known of a piece of data under a name. */
export function describeArtifact(
  node: string,
  name: string,
  data: Json,
  { at, folder }: { readonly at: number; readonly folder: string },
): Artifact {
  const file = storedFile(data)
  if (file !== undefined)
    return {
      id: `${node}/${name}`,
      name,
      size_bytes: file.bytes,
      stored_at: new Date(at).toISOString(),
      storage: 'file',
      file_path: file.$file,
    }
  const size_bytes = Buffer.byteLength(typeof data === 'string' ? data : JSON.stringify(data))
  const about = { id: `${node}/${name}`, name, size_bytes, stored_at: new Date(at).toISOString() }
  if (size_bytes < LARGE) return { ...about, storage: 'memory' }
  return { ...about, storage: 'file', file_path: `${folder}/artifacts/${node}/${name}` }
}

/** Keeps what an execution has stored, and says so; the run's folder is written from that. */
export function storeArtifacts(step: FrameStep, artifacts: JsonObject = {}): void {
  const { x, node, permissions, position } = step
  for (const [written, data] of Object.entries(artifacts)) {
    const name = artifactName(written)
    const key = `${ARTIFACT}${node.id}/${name}`
    if (data === null) {
      if (x.get(key) === undefined || x.get(key) === null) continue
      x.set(key, null)
      step.note('artifact_removed', { node_id: node.id, id: `${node.id}/${name}` })
      continue
    }
    const about = describeArtifact(node.id, name, data, { at: position.began ?? x.now, folder: folderAt(permissions.folder, x.frame) })
    x.set(key, { about: { ...about }, data })
    step.note('artifact_stored', { node_id: node.id, ...about })
  }
}

/** A piece of data that a run has stored, with what is known of it. */
export interface StoredArtifact extends Artifact {
  readonly data: Json
}

/** The pieces that the records of a run have stored and not removed, its branches and called pipelines included. */
export class StoredArtifacts {
  readonly #artifacts = new Map<string, StoredArtifact>()

  take({ writes = [] }: Pick<Rec, 'writes'>): void {
    for (let i = 0; i + 1 < writes.length; i += 2) {
      const [key, value] = [writes[i], writes[i + 1]]
      if (typeof key !== 'string' || !key.startsWith(ARTIFACT)) continue
      const id = key.slice(ARTIFACT.length)
      if (isObject(value) && isObject(value['about']) && value['data'] !== undefined)
        this.#artifacts.set(id, { ...(value['about'] as unknown as Artifact), data: value['data'] })
      else this.#artifacts.delete(id)
    }
  }

  get list(): readonly StoredArtifact[] {
    return [...this.#artifacts.values()]
  }
}

/** What a run has stored so far, by id, as a frame sees it. */
export function artifactsIn(reader: BoardReader): ReadonlyMap<string, { readonly about: Artifact; readonly data: Json }> {
  const found = reader.keys().flatMap((key) => {
    const value = key.startsWith(ARTIFACT) ? reader.get(key) : undefined
    return isObject(value) && value['data'] !== undefined
      ? [[key.slice(ARTIFACT.length), { about: value['about'] as unknown as Artifact, data: value['data'] }] as const]
      : []
  })
  return new Map(found)
}
