import { plainJson } from '../run-document.ts'
import { shortJson } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import { tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'

/** `reflex show RUN --artifacts`: prints what nodes stored beside the context; with `--json` the complete data. */
export async function artifacts(session: Session, address: string): Promise<number> {
  const { console, reflex } = session
  const stored = await reflex.artifacts(address)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, artifacts: stored }))
  else
    console.world.out.write(
      tabSeparated(stored.map(({ id, size_bytes, storage, data }) => [id, `${size_bytes} B`, storage, shortJson(data)])),
    )
  return EXIT.done
}
