import { plainJson } from '../../protocol/plain.ts'
import { keptRecords, readRecords } from '../../kernel/index.ts'
import type { VerbSearch } from '../../programs/verb.ts'
import { readAddress } from '../../runs/address.ts'
import { findRecord } from '../../runs/find-run.ts'
import { EXIT } from '../exit.ts'
import { tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'

/** A verb that a kind brings, by its name and its function. */
interface LoadedVerb {
  readonly name: string
  readonly look: VerbSearch
}

/** `reflex VERB RUN[@N]`, for a verb that a kind brings: prints what it finds in the records of a run. */
export async function kindVerb(session: Session, address: string, { name, look }: LoadedVerb): Promise<number> {
  const { console, reflex } = session
  const { ref, at } = readAddress(address)
  const { id, last } = await findRecord(reflex.store, ref, at)
  const { first } = await keptRecords(reflex.store, id)
  const found = await look(readRecords(reflex.store, id, first, at ?? last))
  if (console.shape !== 'text') console.document(plainJson({ v: 1, verb: name, found: found.map(({ data }) => data) }))
  else console.world.out.write(tabSeparated(found.map(({ cells }) => cells)))
  return EXIT.done
}
