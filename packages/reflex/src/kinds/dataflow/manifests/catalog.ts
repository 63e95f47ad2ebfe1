import type { Fault } from '../../../kernel/index.ts'
import { type Locator, pathOnly, quote } from '../../../text/index.ts'
import type { PrimitiveKind } from '../model/manifest.ts'
import type { Primitive } from '../model/primitive.ts'
import { checkManifest } from './check-manifest.ts'
import { faults } from './faults.ts'
import { compareVersions } from './version.ts'

export interface CatalogOptions {
  /** Allows several versions of an id. Default: false. */
  readonly severalVersions?: boolean
}

const DUPLICATE: Readonly<Record<PrimitiveKind, string>> = { source: 'SRC-14', compute: 'CMP-18', trigger: 'TRG-13', action: 'ACT-18' }

/** The primitives that graphs can use, by id and version. */
export class Catalog {
  readonly #byId: ReadonlyMap<string, readonly Primitive[]>

  /** Throws the first of `catalogFindings`. */
  constructor(primitives: Iterable<Primitive>, options: CatalogOptions = {}) {
    const list = [...primitives]
    const [first] = catalogFindings(list, options)
    if (first !== undefined) throw first
    const byId = Map.groupBy(list, ({ manifest }) => manifest.id)
    for (const versions of byId.values()) versions.sort((a, b) => compareVersions(a.manifest.version, b.manifest.version))
    this.#byId = new Map([...byId].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The ids in the order of their text. */
  ids(): readonly string[] {
    return [...this.#byId.keys()]
  }

  /** The versions of an id, the lowest first; empty for an unknown id. */
  versions(id: string): readonly string[] {
    return (this.#byId.get(id) ?? []).map(({ manifest }) => manifest.version)
  }

  get(id: string, version: string): Primitive | undefined {
    return this.#byId.get(id)?.find(({ manifest }) => manifest.version === version)
  }
}

/** Returns what is wrong with primitives: each rule that a manifest breaks, then each id that occurs twice. */
export function catalogFindings(primitives: readonly Primitive[], { severalVersions = false }: CatalogOptions = {}): Fault[] {
  const findings: Fault[] = []
  const seen = new Map<string, Primitive[]>()
  for (const [index, primitive] of primitives.entries()) {
    const locate: Locator = (path) => pathOnly(['primitives', index, ...path])
    findings.push(...checkManifest(primitive.manifest, { kind: primitive.kind, locate }))
    const id: unknown = (primitive.manifest as { id?: unknown } | undefined)?.id
    if (typeof id !== 'string') continue
    const same = seen.get(id) ?? []
    const other = same.find(({ manifest }) => !severalVersions || manifest.version === primitive.manifest.version)
    if (other !== undefined) findings.push(duplicate(primitive, other))
    seen.set(id, [...same, primitive])
  }
  return findings
}

function duplicate({ kind, manifest: { id, version } }: Primitive, { manifest: other }: Primitive): Fault {
  const message =
    version === other.version
      ? `primitive ${quote(id)} occurs twice with version ${version}`
      : `primitive ${quote(id)} has versions ${other.version} and ${version}, and the catalog takes one`
  return faults.finding('R1347', message, { rule: DUPLICATE[kind], path: id, fix: 'rename one of them' })
}
