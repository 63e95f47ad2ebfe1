import { isList, isObject } from '../journal/json.ts'
import type { Port } from './port.ts'

/**
 * The port `permit`, which does nothing. A kind requests it where no effect asks: before a node is entered (`{ enters: true }`), or for
 * needs that the program stated (`{ needs }`). Its answer comes once the operator's rules let it pass.
 */
export const permitPort: Port = {
  leaves: false,
  repeat: 'free',
  simulate: 'perform',
  traits({ args }) {
    const { needs, enters } = isObject(args) ? args : {}
    return { leaves: false, repeat: 'free', isAhead: true, enters: enters === true, needs: isList(needs) ? needs.map(String) : [] }
  },
  perform: () => null,
}
