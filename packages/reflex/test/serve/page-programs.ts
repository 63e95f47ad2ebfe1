import type { Served } from './served.ts'

/** Returns a workflow whose only decision is a question to a person, with values that the question can show. */
function asking(id: string, spec: object, board: object = {}, events = ['YES', 'NO']): object {
  const node = (name: string, its: object): Record<string, object> => ({ [name]: { id: name, ...its } })
  return {
    id,
    entry: 'prepare',
    nodes: {
      ...node('prepare', { outputs: Object.keys(board).map((key) => ({ key, guaranteed: true })), spec: { writes: board } }),
      ...node('approve', { spec }),
      ...Object.fromEntries(events.map((event) => [event.toLowerCase(), { id: event.toLowerCase(), spec: {} }])),
    },
    edges: [
      { id: 'ready', from: 'prepare', to: 'approve', event: 'READY' },
      ...events.map((event) => ({ id: event, from: 'approve', to: event.toLowerCase(), event })),
    ],
  }
}

const DIFF = `diff --git a/session.ts b/session.ts
--- a/session.ts
+++ b/session.ts
@@ -12,4 +12,5 @@ export class Session {
   readonly user: string
--- a decrement, and no file
-  expired(now: number): boolean {
+  /** ${'A long line that no phone shows in one piece. '.repeat(4)} */
+  isExpired(now: number): boolean {
+    return now >= this.until
   }
`

const FORM = {
  type: 'object',
  required: ['amount', 'method', 'notify'],
  properties: {
    amount: { type: 'number', title: 'Amount in euros', maximum: 84 },
    method: { enum: ['card', 'transfer', 'voucher', 'cheque', 'cash'], description: 'The way to the customer' },
    notify: { type: 'boolean', title: 'Tell the customer' },
    tags: { type: 'array', items: { type: 'string', maxLength: 10 } },
    extra: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  },
}

const IMAGE = '<img src=x onerror="document.title=\'broken\'">'
const SCRIPT = '<script>document.title="broken"</script>'
/** Texts that would do something if anything read them as HTML. */
export const HOSTILE = { image: IMAGE, script: SCRIPT, link: '<a href="javascript:document.title=1">x</a>', order: 'safe\u202etxt.exe' }

const [YES, NO] = [
  { value: 'approve', event: 'YES', label: 'Approve', detail: 'the money is sent at once' },
  { value: 'reject', event: 'NO', label: 'Reject' },
]

/** The programs of the tests of the page. Each asks one question. */
const PROGRAMS = {
  refund: asking(
    'refund',
    { ask: 'Refund €42.00 to the card ending 9021?', options: [YES, NO], due: '5d', otherwise: 'reject', show: ['order', 'identity'] },
    { order: { id: 'A-1042', total: 84 }, identity: 'confirmed' },
  ),
  review: asking('review', { ask: 'Merge this change?', options: [YES, NO], due: '9d', show: ['diff'] }, { diff: DIFF }),
  payout: asking('payout', { ask: 'How much do we pay?', schema: FORM, writes: 'payout' }, {}, ['YES']),
  hostile: asking(
    'hostile',
    {
      ask: `${IMAGE}\n${SCRIPT}`,
      options: [{ value: SCRIPT, event: 'YES', label: IMAGE, detail: SCRIPT }, NO],
      show: ['image', 'script', 'link', 'order'],
    },
    HOSTILE,
  ),
}

/** Starts a run of a program, which waits for its answer when this resolves. */
export async function ask({ send }: Served, program: keyof typeof PROGRAMS, id: string, input: object = {}): Promise<void> {
  const text = JSON.stringify(PROGRAMS[program])
  const { status, json } = await send('POST', '/v1/runs', { program: { text, name: `${program}.workflow.json` }, id, input, wait: true })
  if (status !== 201 || json.questions?.[0] === undefined) throw new Error(`${program} asks nothing: ${JSON.stringify(json)}`)
}
