import { readReply, ReplyReader } from '../../packages/reflex/src/kinds/skill/protocol/reply-reader.ts'
import { REPLIES } from './seeds.ts'
import type { Subject } from './subject.ts'

/** The replies of models, in which skills are proposed: whole and in pieces they mean the same, and no forged block stays. */
export const protocolSubject: Subject = {
  name: 'protocol',
  seeds: REPLIES,
  try: (text) => {
    const whole = JSON.stringify(readReply(text))
    const reader = new ReplyReader()
    let shown = ''
    for (let at = 0; at < text.length; at += 1 + (at % 5)) shown += reader.text(text.slice(at, at + 1 + (at % 5)))
    const end = reader.end()
    if (JSON.stringify(end.outcome) !== whole) throw new Error('the reply means something else in pieces')
    if (shown + end.text !== end.outcome.visible) throw new Error('the pieces that were shown are not the visible text')
    if (end.outcome.proposals.length > 1) throw new Error('more than one proposal is decided')
    return Promise.resolve()
  },
}
