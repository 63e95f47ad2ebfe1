import type { NumberedRecord } from '../../../kernel/index.ts'
import type { Found } from '../../../programs/verb.ts'
import { shortJson } from '../../../text/index.ts'
import { StoredArtifacts } from '../engine/artifacts.ts'

/** Returns what the nodes of a run have stored beside the context, with the complete data. */
export async function artifactsVerb(records: AsyncIterable<NumberedRecord>): Promise<readonly Found[]> {
  const stored = new StoredArtifacts()
  for await (const [, record] of records) stored.take(record)
  return stored.list.map((one) => ({
    data: { ...one },
    cells: [one.id, `${one.size_bytes} B`, one.storage, shortJson(one.data)],
  }))
}
