"""A registered contract of customers."""

CUSTOMERS = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:customers
name: customers
version: 1.0.0
status: active
domain: crm
dataProduct: people
tags: [golden, "50%"]
description: {purpose: Everyone who ever bought something}
team: {name: crm, members: [{username: bea@acme.com, role: owner}]}
schema:
  - name: customers
    physicalName: silver.crm.customers
    properties:
      - {name: customer_id, physicalType: bigint, required: true, tags: [key]}
      - {name: Email, physicalType: string, classification: pii, tags: [contact, "say \\"hi\\""]}
      - {name: country_code, physicalType: string, classification: public, tags: [geo]}
"""
