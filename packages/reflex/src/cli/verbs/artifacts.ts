import { plain } from '../run-document.ts'
import { brief } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import { tabbed } from '../layout.ts'
import type { Session } from '../session.ts'

/** `reflex show RUN --artifacts`: what nodes have stored beside the context; with `--json` the data as a whole. */
export async function artifacts(session: Session, address: string): Promise<number> {
  const { console, reflex } = session
  const stored = await reflex.artifacts(address)
  if (console.shape !== 'text') console.document(plain({ v: 1, artifacts: stored }))
  else console.world.out.write(tabbed(stored.map(({ id, size_bytes, storage, data }) => [id, `${size_bytes} B`, storage, brief(data)])))
  return EXIT.done
}
