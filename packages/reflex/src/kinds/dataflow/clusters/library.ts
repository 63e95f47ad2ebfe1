import type { DefinitionSource } from '../documents/read.ts'
import { compareVersions } from '../manifests/version.ts'

/** The clusters that a graph can use, by id and version. */
export class ClusterLibrary {
  readonly #byId: ReadonlyMap<string, readonly DefinitionSource[]>

  /** Of two definitions with one id and version, the first counts. */
  constructor(sources: Iterable<DefinitionSource>) {
    const byId = new Map<string, DefinitionSource[]>()
    for (const source of sources) {
      const { id, version } = source.definition
      const same = byId.get(id) ?? []
      if (!same.some(({ definition }) => definition.version === version)) same.push(source)
      byId.set(id, same)
    }
    for (const same of byId.values()) same.sort((a, b) => compareVersions(a.definition.version, b.definition.version))
    this.#byId = new Map([...byId].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The ids in the order of their text. */
  ids(): readonly string[] {
    return [...this.#byId.keys()]
  }

  /** The versions of an id, the lowest first; empty for an unknown id. */
  versions(id: string): readonly string[] {
    return (this.#byId.get(id) ?? []).map(({ definition }) => definition.version)
  }

  get(id: string, version: string): DefinitionSource | undefined {
    return this.#byId.get(id)?.find(({ definition }) => definition.version === version)
  }

  /** Returns a library with one more definition. One that it already has stays. */
  with(source: DefinitionSource): ClusterLibrary {
    return new ClusterLibrary([...[...this.#byId.values()].flat(), source])
  }
}
