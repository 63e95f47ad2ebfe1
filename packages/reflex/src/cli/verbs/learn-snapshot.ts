import { join, resolve } from 'node:path'
import type { MiningParams } from '../../learn/mine/params.ts'
import { type DraftFile, DraftFolder } from '../../learn/snapshot/draft-folder.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { learnFolder } from '../../learn/snapshot/learn-folder.ts'
import { type KeptDraft, takeSnapshot } from '../../learn/snapshot/snapshot.ts'
import { snapshotDocument } from '../../learn/snapshot/snapshot-document.ts'
import { faults } from '../../runs/faults.ts'
import { EXIT } from '../exit.ts'
import { snapshotLines } from '../snapshot-lines.ts'
import type { Session } from '../session.ts'
import type { LearnFlags } from './learn.ts'

/** The folder of drafts. */
const DRAFTS = 'skills'

/** `reflex learn snapshot`: mines the ended runs of the store, writes drafts of skills, and keeps them in the registry. Throws `R1485` and `R5040`. */
export async function learnSnapshot(session: Session, flags: LearnFlags): Promise<number> {
  const { console, reflex } = session
  const { world } = console
  await reflex.useTools(flags.tools ?? [])
  const { host, registry } = projectRegistry(reflex, { version: world.version, env: flags.env })
  const { shapes, written } = learnFolder(reflex.home)
  const began = reflex.host.monotonic()
  const isDry = flags.dry === true
  const snapshot = await takeSnapshot(
    { store: reflex.store, shapes, registry, host },
    { owner: reflex.actor, params: paramsOf(flags), isDry },
  )
  const ms = Math.round(reflex.host.monotonic() - began)
  const folder = resolve(world.surroundings.cwd, flags.out ?? DRAFTS)
  const files = isDry
    ? new Map<KeptDraft, readonly DraftFile[]>()
    : await writeDrafts(folder, snapshot.drafts, await DraftFolder.open(folder, written))
  if (console.shape !== 'text') {
    console.document(snapshotDocument(snapshot, files))
    return EXIT.done
  }
  console.print(snapshotLines(snapshot, { console, ms, isDry, files, place: (path) => console.nearPath(join(folder, path)) }))
  return EXIT.done
}

async function writeDrafts(
  folder: string,
  drafts: readonly KeptDraft[],
  out: DraftFolder,
): Promise<ReadonlyMap<KeptDraft, readonly DraftFile[]>> {
  const files = new Map<KeptDraft, readonly DraftFile[]>()
  for (const kept of drafts) {
    if (kept.refused !== undefined) continue
    try {
      files.set(kept, await out.add(kept.draft))
    } catch (cause) {
      throw faults.make('R5040', `the drafts in ${folder} cannot be written`, {
        file: folder,
        cause,
        fix: 'name a writable folder with --out',
      })
    }
  }
  return files
}

/** Returns the parameters that were given. Their values are checked where they are used. */
function paramsOf({ window, support, success, cost, env }: LearnFlags): Partial<MiningParams> {
  return {
    ...(window === undefined ? {} : { window: numberOf(window) }),
    ...(support === undefined ? {} : { support: numberOf(support) }),
    ...(success === undefined ? {} : { success: numberOf(success) }),
    ...(cost === undefined ? {} : { cost: numberOf(cost) }),
    ...(env === undefined ? {} : { compat: { env } }),
  }
}

/** An empty text is no number. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}
