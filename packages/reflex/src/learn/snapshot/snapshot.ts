import { digest, type Fault, isFault, type Json, type Store } from '../../kernel/index.ts'
import { manifestText } from '../../kinds/skill/manifest/canonical.ts'
import type { SkillHost } from '../../kinds/skill/manifest/read-skill.ts'
import type { Manifest } from '../../kinds/skill/model/manifest.ts'
import { learn } from '../compile/learn.ts'
import type { SkillDraft } from '../compile/compile-pattern.ts'
import type { MiningReport } from '../mine/mine.ts'
import type { MiningParams } from '../mine/params.ts'
import type { SkillRegistry } from '../registry/registry.ts'
import { houseTools, type ToolShapes } from '../shapes/operation-shape.ts'
import { type ShapeFiles, type ShapeUpdate, storedShapes, updateShapes } from '../shapes/update-shapes.ts'

/** The parts that a snapshot needs. */
export interface SnapshotWorld {
  readonly store: Store
  /** The shapes of the runs of the store. */
  readonly shapes: ShapeFiles
  readonly registry: SkillRegistry
  readonly host: SkillHost
}

/** The settings of a snapshot. */
export interface SnapshotOptions {
  readonly owner: string
  readonly params?: Partial<MiningParams>
  /** True to keep nothing in the registry. */
  readonly isDry?: boolean
}

/** A draft, and what the registry did with it. */
export interface KeptDraft {
  readonly draft: SkillDraft
  /** Absent in a dry snapshot. `known`: the registry had this text already. */
  readonly kept?: 'draft' | 'known'
  /** The registry refused it. */
  readonly refused?: Fault
}

/** The result of a snapshot. */
export interface Snapshot {
  readonly update: ShapeUpdate
  readonly report: MiningReport
  readonly drafts: readonly KeptDraft[]
}

/**
 * Reads the ended runs of a store that were not read before, mines all of them, and keeps what it finds in the registry as drafts. Nothing becomes active. A run that cannot be read, or a draft that the registry refuses, stops nothing: both are in the result.
 * Throws `R1485` for a parameter that is not valid, and `R1494` for a newer registry.
 */
export async function takeSnapshot(world: SnapshotWorld, { owner, params, isDry = false }: SnapshotOptions): Promise<Snapshot> {
  const tools = shapesOf(world.host)
  const known = (await world.registry.list()).map(({ manifest }) => manifest)
  const update = await updateShapes(world.store, world.shapes, { tools })
  const { report, drafts } = await learn(() => storedShapes(world.shapes), {
    owner,
    tools,
    host: world.host,
    known: newestOf(known),
    ...(params === undefined ? {} : { params }),
  })
  const kept: KeptDraft[] = []
  for (const draft of drafts) kept.push(isDry ? { draft } : await keep(world.registry, draft))
  return { update, report, drafts: kept }
}

async function keep(registry: SkillRegistry, draft: SkillDraft): Promise<KeptDraft> {
  if (draft.novelty.is === 'known') return { draft, kept: 'known' }
  try {
    const hash = digest(manifestText(draft.manifest))
    await registry.put(draft.manifest, hash, 'mined')
    // Without its cases, a test of the draft by its id has nothing to run.
    await registry.keepCases(
      hash,
      draft.cases.map(([, unit]) => unit as unknown as Json),
    )
    return { draft, kept: 'draft' }
  } catch (thrown) {
    // Two patterns can both be nearly the same as one skill, and then both want to be its next version.
    if (isFault(thrown) && thrown.code === 'R1490') return { draft, refused: thrown }
    throw thrown
  }
}

/** Returns the newest version of each skill: the registry lists versions in the order in which they came. */
function newestOf(all: readonly Manifest[]): readonly Manifest[] {
  return [...new Map(all.map((manifest) => [manifest.id, manifest])).values()]
}

/** Returns which argument of a tool is a command line: as the tool declares it, otherwise as tools of Reflex have it. */
function shapesOf({ tools = [] }: SkillHost): ToolShapes {
  const declared = new Map(tools.flatMap(({ name, commandLine }) => (commandLine === undefined ? [] : [[name, { commandLine }]])))
  return (tool) => houseTools(tool) ?? declared.get(tool)
}
