import type { Rec } from '../../../kernel/index.ts'
import type { Found } from '../../../programs/verb.ts'
import { shortJson } from '../../../text/index.ts'
import { storedArtifacts } from '../engine/artifacts.ts'

/** Returns what the nodes of a run have stored beside the context, with the complete data. */
export function artifactsVerb(records: readonly Rec[]): readonly Found[] {
  return storedArtifacts(records).map((one) => ({
    data: { ...one },
    cells: [one.id, `${one.size_bytes} B`, one.storage, shortJson(one.data)],
  }))
}
