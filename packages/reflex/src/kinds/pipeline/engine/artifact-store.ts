import type { Json, JsonObject, BoardReader } from '../../../kernel/index.ts'
import { type Artifact, artifactName, artifactsIn, describeArtifact } from './artifacts.ts'
import { pipelineFaults } from '../contract/faults.ts'

/** The node that uses a store, and the artifacts of the run. */
interface ArtifactPlace {
  readonly node: string
  readonly reader: BoardReader
  readonly folder: string
  /** The time at which the node began, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * The artifacts that a run keeps beside its context, for a handler of a host (seed pipeline 7.5). Stored artifacts are
 * part of the handler's outcome: later nodes see them once the node has succeeded or failed, and they are lost if the
 * node is stopped. After a crash the handler runs again and stores them again. Artifacts below 100 KB have the
 * storage `memory`, larger ones `file`: the journal has both, and the run's folder shows the large ones as
 * `artifacts/<node>/<name>`.
 */
export class ArtifactStore {
  readonly #place: ArtifactPlace
  readonly #changes = new Map<string, Json>()

  constructor(place: ArtifactPlace) {
    this.#place = place
  }

  /**
   * Stores data under a name of this node, and replaces earlier data. Characters that are not allowed in a file name
   * become `_`.
   */
  store(name: string, data: Json): Artifact {
    const plain = artifactName(name)
    this.#changes.set(plain, data)
    return this.#describe(plain, data)
  }

  /** Returns the data of an id, `<node>/<name>`. Throws `R2215` if the run has no such artifact. */
  retrieve(id: string): Json {
    const data = this.#find(id)
    if (data !== undefined) return data
    const ids = this.list().map((one) => one.id)
    throw pipelineFaults.make('R2215', `the run has stored no artifact ${JSON.stringify(id)}`, {
      fix: ids.length === 0 ? 'store it before you retrieve it' : `use one of ${ids.join(', ')}`,
    })
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined
  }

  /** Returns the artifacts of one node or of all. */
  list(node?: string): readonly Artifact[] {
    const own = this.#place.node
    const before = [...artifactsIn(this.#place.reader)].filter(
      ([id]) => !this.#changes.has(id.slice(own.length + 1)) || !id.startsWith(`${own}/`),
    )
    const now = [...this.#changes].filter(([, data]) => data !== null)
    return [...before.map(([, { about }]) => about), ...now.map(([name, data]) => this.#describe(name, data))].filter(
      ({ id }) => node === undefined || id.startsWith(`${node}/`),
    )
  }

  /** Removes an artifact of this node. Returns false if there was none. */
  remove(name: string): boolean {
    const plain = artifactName(name)
    const was = this.has(`${this.#place.node}/${plain}`)
    this.#changes.set(plain, null)
    return was
  }

  /** Removes all artifacts of this node. */
  clear(): void {
    for (const { name } of this.list(this.#place.node)) this.#changes.set(name, null)
  }

  /** The changes that are stored with the outcome of the node. */
  get changes(): JsonObject {
    return Object.fromEntries(this.#changes)
  }

  #find(id: string): Json | undefined {
    const { node, reader } = this.#place
    const own = id.startsWith(`${node}/`) ? this.#changes.get(id.slice(node.length + 1)) : undefined
    return own === undefined ? artifactsIn(reader).get(id)?.data : (own ?? undefined)
  }

  #describe(name: string, data: Json): Artifact {
    const { node, at, folder } = this.#place
    return describeArtifact(node, name, data, { at, folder })
  }
}
