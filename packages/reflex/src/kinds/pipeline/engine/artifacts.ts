import { isObject, type Json, type JsonObject, type Rec, type BoardReader } from '../../../kernel/index.ts'
import { checkArguments, listOf, OBJECT } from '../../../text/index.ts'
import { folderAt } from '../contract/paths.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * The number of bytes from which an artifact is large: the journal refers to it by its hash, and a run's folder has it
 * as a file (seed pipeline 7.5).
 */
export const LARGE = 102_400

/** A piece of data that a node stored beside the context (reference pipeline 6.6). */
export interface Artifact {
  /** The id: `<node>/<name>`. */
  readonly id: string
  readonly name: string
  readonly size_bytes: number
  /** The time at which the storing node began, ISO 8601, UTC. */
  readonly stored_at: string
  readonly storage: 'memory' | 'file'
  /** The path in the run's folder. */
  readonly file_path?: string
}

/** The prefix of the keys that contain artifacts; the id follows it. */
export const ARTIFACT = '#artifact/'

/** Returns a name that is safe as a part of a path. */
export function artifactName(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_').slice(0, 200)
  return /^\.*$/.test(plain) ? `_${plain.replaceAll('.', '_')}` : plain
}

/** A reference to data that is already in a file: its absolute path, size and hash. */
export type StoredFile = { readonly $file: string; readonly bytes: number; readonly sha256: string }

/** Returns the file that contains an artifact, if the data is not in the journal. */
export function storedFile(data: Json): StoredFile | undefined {
  return isObject(data) && typeof data['$file'] === 'string' && typeof data['bytes'] === 'number'
    ? (data as unknown as StoredFile)
    : undefined
}

/** Returns the description of an artifact. */
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

/** Stores the artifacts of an execution and notes them; the run's folder is written from these records. */
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

/** An artifact of a run, with its description. */
export interface StoredArtifact extends Artifact {
  readonly data: Json
}

/** The artifacts that the records of a run stored and did not remove, its branches and called pipelines included. */
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

/** Returns the artifacts that the records of a run stored and did not remove. Reads the records alone. */
export function storedArtifacts(records: readonly Rec[]): readonly StoredArtifact[] {
  checkArguments('storedArtifacts', { records: [records, listOf(OBJECT)] })
  const stored = new StoredArtifacts()
  for (const record of records) stored.take(record)
  return stored.list
}

/** Returns the artifacts of a run by id, as a frame sees them. */
export function artifactsIn(reader: BoardReader): ReadonlyMap<string, { readonly about: Artifact; readonly data: Json }> {
  const found = reader.keys().flatMap((key) => {
    const value = key.startsWith(ARTIFACT) ? reader.get(key) : undefined
    return isObject(value) && value['data'] !== undefined
      ? [[key.slice(ARTIFACT.length), { about: value['about'] as unknown as Artifact, data: value['data'] }] as const]
      : []
  })
  return new Map(found)
}
