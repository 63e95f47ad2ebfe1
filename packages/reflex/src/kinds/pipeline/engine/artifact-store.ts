import type { Json, JsonObject } from '../../../kernel/journal/json.ts'
import type { BoardReader } from '../../../kernel/state/scope.ts'
import { type Artifact, artifactName, artifactsIn, describeArtifact } from './artifacts.ts'
import { pipelineFaults } from '../contract/faults.ts'

/** Whose store it is, and what the run has stored before. */
interface ArtifactPlace {
  readonly node: string
  readonly reader: BoardReader
  readonly folder: string
  /** Milliseconds since the epoch: when the node began. */
  readonly at: number
}

/**
 * The data that a run keeps beside its context, as a handler of a host uses it (seed pipeline 7.5). What is stored becomes
 * part of the handler's outcome: it is there for later nodes once the node has succeeded or failed, and gone if the node
 * is given up. After a crash the handler runs again and stores it anew. Pieces below 100 KB are of the tier `memory`,
 * larger ones `file`: the journal has both, the run's folder shows the large ones as `artifacts/<node>/<name>`.
 */
export class ArtifactStore {
  readonly #place: ArtifactPlace
  readonly #changes = new Map<string, Json>()

  constructor(place: ArtifactPlace) {
    this.#place = place
  }

  /** Stores data under a name of this node; one that it had is replaced. Characters that are none of a file name become `_`. */
  store(name: string, data: Json): Artifact {
    const plain = artifactName(name)
    this.#changes.set(plain, data)
    return this.#describe(plain, data)
  }

  /** The data of an id, `<node>/<name>`. Throws `R2215` when the run has stored nothing under it. */
  retrieve(id: string): Json {
    const data = this.#find(id)
    if (data !== undefined) return data
    const ids = this.list().map((one) => one.id)
    throw pipelineFaults.make('R2215', `the run has stored no artifact ${JSON.stringify(id)}`, {
      fix: ids.length === 0 ? 'store it first' : `there are ${ids.join(', ')}`,
    })
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined
  }

  /** What is stored, of one node or of all. */
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

  /** Takes a piece of this node away; false if there was none. */
  remove(name: string): boolean {
    const plain = artifactName(name)
    const was = this.has(`${this.#place.node}/${plain}`)
    this.#changes.set(plain, null)
    return was
  }

  /** Takes away everything that this node has stored. */
  clear(): void {
    for (const { name } of this.list(this.#place.node)) this.#changes.set(name, null)
  }

  /** What is to be kept with the outcome of the node. */
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
