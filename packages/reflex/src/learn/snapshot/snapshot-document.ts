import { faultData, faultJson, type JsonObject } from '../../kernel/index.ts'
import { thresholdOf } from './report-texts.ts'
import type { DraftFile } from './draft-folder.ts'
import type { KeptDraft, Snapshot } from './snapshot.ts'

/** Returns the document of a snapshot. It has no times, so equal runs and parameters give equal bytes. `files`: what was written of each draft. */
export function snapshotDocument({ update, report, drafts }: Snapshot, files: ReadonlyMap<KeptDraft, readonly DraftFile[]>): JsonObject {
  const { miner, params, runs, calls, symbols, least, unit, considered, counts, rejected } = report
  const document = {
    v: 1,
    shapes: update,
    miner,
    params,
    runs,
    calls,
    symbols,
    least,
    unit,
    considered,
    kept: report.patterns.length,
    dropped: counts,
    rejected: rejected.map((word) => ({ ...word, needs: thresholdOf(word.reason, report) })),
    drafts: drafts.map((one, i) => {
      const pattern = report.patterns[i]
      return { ...draftOf(one, files.get(one)), symbols: pattern?.symbols ?? [], slots: (pattern?.slots ?? []).map(slotOf) }
    }),
  }
  return JSON.parse(JSON.stringify(document)) as JsonObject
}

function slotOf({
  name,
  type,
  origin,
  path,
}: {
  readonly name: string
  readonly type: string
  readonly origin: string
  readonly path?: string
}): object {
  return { name, type, origin, path }
}

function draftOf({ draft, kept, refused }: KeptDraft, files: readonly DraftFile[] | undefined): object {
  const { manifest, state, novelty, findings, saving } = draft
  const { support, success } = manifest.provenance
  return {
    id: manifest.id,
    version: manifest.version,
    state,
    novelty: novelty.is,
    ...(novelty.is === 'update' ? { from: novelty.from } : {}),
    registry: refused === undefined ? (kept ?? 'not_kept') : 'refused',
    ...(refused === undefined ? {} : { refused: faultJson(refused) }),
    support,
    success,
    saving,
    findings: findings.map((found) => ({ severity: found.severity, ...faultData(found) })),
    files: files ?? [],
  }
}
