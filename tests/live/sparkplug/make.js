// Makes the *.bin of this folder with the package sparkplug-payload 1.0.3, another's implementation:
//   npm install --no-save sparkplug-payload@1.0.3 && node make.js
const fs = require('fs');
const path = require('path');
const payload = require('sparkplug-payload').get('spBv1.0');

const write = (name, message) =>
    fs.writeFileSync(path.join(__dirname, name + '.bin'), payload.encodePayload(message));

const start = 1767952473000;  // 2026-01-09 09:54:33 UTC
write('nbirth', {timestamp: start, seq: 0, metrics: [
    {name: 'bdSeq', type: 'UInt64', value: 7},
    {name: 'Node Control/Rebirth', type: 'Boolean', value: false},
    {name: 'supply', type: 'Float', value: 23.5, alias: 1},
]});
write('dbirth', {timestamp: start + 1, seq: 1, metrics: [
    {name: 'pressure', type: 'Double', value: 4.25, alias: 10, timestamp: start + 1},
    {name: 'offset', type: 'Int16', value: -3, alias: 11, timestamp: start + 1},
    {name: 'small', type: 'Int8', value: -100, alias: 12, timestamp: start + 1},
    {name: 'total', type: 'Int64', value: -5000000000, alias: 13, timestamp: start + 1},
    {name: 'pulses', type: 'UInt32', value: 4000000000, alias: 14, timestamp: start + 1},
    {name: 'open', type: 'Boolean', value: true, alias: 15, timestamp: start + 1},
    {name: 'state', type: 'String', value: 'running', alias: 16, timestamp: start + 1},
    {name: 'level', type: 'Float', value: null, isNull: true, alias: 17, timestamp: start + 1},
    {name: 'since', type: 'DateTime', value: start, alias: 18, timestamp: start + 1},
]});
write('ddata', {timestamp: start + 1002, seq: 2, metrics: [
    {name: 'pressure', type: 'Double', value: 4.5, timestamp: start + 1000},
    {name: 'offset', type: 'Int16', value: -4},
]});
write('ddata_alias', {timestamp: start + 2002, seq: 3, metrics: [
    {alias: 10, type: 'Double', value: 4.75, timestamp: start + 2000},
    {alias: 15, type: 'Boolean', value: false, timestamp: start + 2000},
]});
write('ddata_historical', {timestamp: start + 9000, seq: 4, metrics: [
    {alias: 10, type: 'Double', value: 1.5, timestamp: start + 500, isHistorical: true},
]});
write('ddata_unannounced', {timestamp: start + 10000, seq: 5, metrics: [
    {alias: 10, type: 'Double', value: 2.5, timestamp: start + 10000},
    {alias: 99, type: 'Double', value: 9.5, timestamp: start + 10000},
]});
write('ddata_gap', {timestamp: start + 11000, seq: 9, metrics: [
    {alias: 10, type: 'Double', value: 3.5, timestamp: start + 11000},
]});
write('ddeath', {timestamp: start + 12000, seq: 10});
write('ndeath', {timestamp: start, metrics: [{name: 'bdSeq', type: 'UInt64', value: 7}]});
write('ndeath_earlier', {timestamp: start, metrics: [{name: 'bdSeq', type: 'UInt64', value: 6}]});
